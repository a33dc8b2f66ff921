// The service as a Function App on an Elastic Premium plan. The plan scales with requests and doorbells by itself, so there
// is no standalone worker. Logins and migrations are run from a machine in the network: see docs/deployment.md.
targetScope = 'resourceGroup'

@minLength(3)
@maxLength(20)
param name string = 'governance'
param location string = resourceGroup().location
param tags object = {}

@description('The host image with a tag or a digest, without its registry.')
param hostImage string
@description('The container registry, in the same resource group: the service may pull from it.')
param registryName string

@description('Settings that are no secrets, by name: the table in the README lists all.')
param settings object

@secure()
param administratorPassword string
@secure()
param ownerPassword string
@secure()
param runtimePassword string
@secure()
@minLength(32)
param sessionSecret string
@secure()
@description('The former session secret, while it is rotated: still accepted.')
param previousSessionSecret string = ''
@secure()
@description('Ed25519 private key, PKCS #8 as PEM or base64.')
param auditSigningKey string
@secure()
param identityProviderSecret string
@secure()
@description('Further settings that are secrets, and variables that a setting `..._REF` names: their values by name.')
param secretSettings object = {}

@description('Unique in the world. A server of release 26.11.27.0 or earlier has the name of the deployment: keep it.')
param postgresName string = '${name}-${uniqueString(resourceGroup().id, name)}'
param postgresSku object = {
  name: 'Standard_D4ds_v5'
  tier: 'GeneralPurpose'
}
param postgresStorageGb int = 256
param postgresHighAvailability bool = true
param backupRetentionDays int = 35

@allowed([
  'EP1'
  'EP2'
  'EP3'
])
param planSku string = 'EP1'
@minValue(3)
@description('One in each of three zones at least.')
param minInstances int = 3
param maxInstances int = 8

module foundation 'modules/foundation.bicep' = {
  name: '${name}-foundation'
  params: {
    name: name
    location: location
    tags: tags
    appsDelegation: 'Microsoft.Web/serverFarms'
    postgresName: postgresName
    postgresSku: postgresSku
    postgresStorageGb: postgresStorageGb
    postgresHighAvailability: postgresHighAvailability
    backupRetentionDays: backupRetentionDays
    registryName: registryName
    administratorPassword: administratorPassword
    ownerPassword: ownerPassword
    runtimePassword: runtimePassword
    sessionSecret: sessionSecret
    previousSessionSecret: previousSessionSecret
    auditSigningKey: auditSigningKey
    identityProviderSecret: identityProviderSecret
    secretSettings: secretSettings
  }
}

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: name
  location: location
  tags: tags
  kind: 'elastic'
  sku: {
    name: planSku
    tier: 'ElasticPremium'
    capacity: minInstances
  }
  properties: {
    reserved: true
    maximumElasticWorkerCount: maxInstances
    zoneRedundant: true
  }
}

// Settings that hold a secret, by the name of the secret in the vault, which allows no underscores.
var furtherSecrets = toObject(
  items(secretSettings),
  setting => setting.key,
  setting => 'setting-${toLower(replace(setting.key, '_', '-'))}'
)
var rotation = empty(previousSessionSecret) ? {} : {
  SVC_SESSION_SECRET_PREVIOUS: 'session-secret-previous'
}
var secrets = union(rotation, furtherSecrets, {
  SVC_DATABASE_URL: 'database-url'
  SVC_SESSION_SECRET: 'session-secret'
  AUDIT_SIGNING_KEY: 'audit-signing-key'
  IDP_CLIENT_SECRET: 'idp-client-secret'
})
var plainSettings = union(
  {
    FUNCTIONS_EXTENSION_VERSION: '~4'
    FUNCTIONS_WORKER_RUNTIME: 'node'
    AzureWebJobsDisableHomepage: 'true'
    // On this platform the host looks for the functions below HOME alone.
    HOME: '/home'
    AzureWebJobsSecretStorageType: 'files'
    WEBSITES_ENABLE_APP_SERVICE_STORAGE: 'false'
    WEBSITES_PORT: '8080'
    languageWorkers__node__arguments: '--max-http-header-size=49152'
    AzureWebJobsStorage__accountName: foundation.outputs.storageName
    AzureWebJobsStorage__credential: 'managedidentity'
    AzureWebJobsStorage__clientId: foundation.outputs.identityClientId
    // The service's own clients of queues and tables take this identity.
    AZURE_CLIENT_ID: foundation.outputs.identityClientId
    APPLICATIONINSIGHTS_CONNECTION_STRING: foundation.outputs.insightsConnectionString
    APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'Authorization=AAD;ClientId=${foundation.outputs.identityClientId}'
    SVC_ENV: 'production'
    SVC_AUTH_MODE: 'idp'
    SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_SIGNING_KEY'
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET'
  },
  settings
)
var secretReferences = toObject(
  items(secrets),
  setting => setting.key,
  setting => '@Microsoft.KeyVault(SecretUri=${foundation.outputs.vaultUri}secrets/${setting.value})'
)

// Sites have names of the whole world.
resource app 'Microsoft.Web/sites@2024-04-01' = {
  name: '${name}-${uniqueString(resourceGroup().id, name)}'
  location: location
  tags: tags
  kind: 'functionapp,linux,container'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${foundation.outputs.identityId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    keyVaultReferenceIdentity: foundation.outputs.identityId
    virtualNetworkSubnetId: foundation.outputs.appsSubnetId
    vnetRouteAllEnabled: true
    siteConfig: {
      linuxFxVersion: 'DOCKER|${foundation.outputs.registryServer}/${hostImage}'
      acrUseManagedIdentityCreds: true
      acrUserManagedIdentityID: foundation.outputs.identityClientId
      alwaysOn: false
      ftpsState: 'Disabled'
      minTlsVersion: '1.2'
      http20Enabled: true
      healthCheckPath: '/api/ready'
      minimumElasticInstanceCount: minInstances
      // The host's listeners of doorbells run in the network, so the platform asks the app how many it needs.
      functionsRuntimeScaleMonitoringEnabled: true
    }
  }
}

resource appSettings 'Microsoft.Web/sites/config@2024-04-01' = {
  parent: app
  name: 'appsettings'
  properties: union(plainSettings, secretReferences)
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: app
  name: 'workspace'
  properties: {
    workspaceId: foundation.outputs.workspaceId
    logs: [
      {
        categoryGroup: 'allLogs'
        enabled: true
      }
    ]
    metrics: [
      {
        category: 'AllMetrics'
        enabled: true
      }
    ]
  }
}

output hostName string = app.properties.defaultHostName
