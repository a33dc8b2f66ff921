// What both ways to run the service stand on: logs, identity, network, Postgres, storage, secrets.
param name string
param location string
param tags object
param appsDelegation string
param postgresName string
param postgresSku object
param postgresStorageGb int
param postgresHighAvailability bool
param backupRetentionDays int

@description('The container registry, in the same resource group.')
param registryName string

@secure()
param administratorPassword string
@secure()
param ownerPassword string
@secure()
param runtimePassword string
@secure()
param sessionSecret string
@secure()
@description('Empty, save while the session secret is rotated.')
param previousSessionSecret string
@secure()
param auditSigningKey string
@secure()
param identityProviderSecret string
@secure()
@description('Values by the name of the setting.')
param secretSettings object

var administratorLogin = 'governance_admin'
// Storage accounts and vaults have names of the whole world, with at most 24 characters.
var unique = uniqueString(resourceGroup().id, name)

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: {
      name: 'PerGB2018'
    }
    retentionInDays: 90
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: name
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    DisableLocalAuth: true
  }
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: name
  location: location
  tags: tags
}

resource registry 'Microsoft.ContainerRegistry/registries@2023-07-01' existing = {
  name: registryName
}

// AcrPull
var puller = '7f951dda-4ed3-4680-a7ca-43fe172d538d'

resource pull 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: registry
  name: guid(registry.id, identity.id, puller)
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', puller)
  }
}

// Monitoring Metrics Publisher: the host sends its telemetry by the identity.
var publisher = '3913510d-42f4-4e42-8a64-420c390055eb'

resource telemetry 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: insights
  name: guid(insights.id, identity.id, publisher)
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', publisher)
  }
}

module network 'network.bicep' = {
  name: '${name}-network'
  params: {
    name: name
    location: location
    tags: tags
    appsDelegation: appsDelegation
  }
}

module postgres 'postgres.bicep' = {
  name: '${name}-postgres'
  params: {
    name: postgresName
    location: location
    tags: tags
    subnetId: network.outputs.postgresSubnetId
    zoneId: network.outputs.postgresZoneId
    workspaceId: workspace.id
    administratorLogin: administratorLogin
    administratorPassword: administratorPassword
    sku: postgresSku
    storageGb: postgresStorageGb
    highAvailability: postgresHighAvailability
    backupRetentionDays: backupRetentionDays
  }
}

module storage 'storage.bicep' = {
  name: '${name}-storage'
  params: {
    name: 'gov${unique}'
    location: location
    tags: tags
    subnetId: network.outputs.appsSubnetId
    principalId: identity.properties.principalId
    workspaceId: workspace.id
  }
}

var server = '${postgres.outputs.host}:5432/governance?sslmode=verify-full'

var rotation = empty(previousSessionSecret) ? {} : {
  'session-secret-previous': previousSessionSecret
}

// Their names begin with `setting-`, so that none is the name of a secret of the template.
var furtherSecrets = toObject(
  items(secretSettings),
  setting => 'setting-${toLower(replace(setting.key, '_', '-'))}',
  setting => setting.value
)

module vault 'vault.bicep' = {
  name: '${name}-vault'
  params: {
    name: 'gov${unique}'
    location: location
    tags: tags
    subnetId: network.outputs.appsSubnetId
    principalId: identity.properties.principalId
    workspaceId: workspace.id
    secrets: union(rotation, furtherSecrets, {
      'postgres-password': administratorPassword
      'owner-password': ownerPassword
      'runtime-password': runtimePassword
      'database-url': 'postgres://svc_runtime:${uriComponent(runtimePassword)}@${server}'
      'migration-database-url': 'postgres://svc_owner:${uriComponent(ownerPassword)}@${server}'
      'session-secret': sessionSecret
      'audit-signing-key': auditSigningKey
      'idp-client-secret': identityProviderSecret
    })
  }
}

output identityId string = identity.id
output identityClientId string = identity.properties.clientId
output registryServer string = registry.properties.loginServer
output workspaceId string = workspace.id
output insightsConnectionString string = insights.properties.ConnectionString
output appsSubnetId string = network.outputs.appsSubnetId
output postgresHost string = postgres.outputs.host
output postgresLogin string = administratorLogin
output storageName string = storage.outputs.name
output queueName string = storage.outputs.queueName
output vaultUri string = vault.outputs.uri
