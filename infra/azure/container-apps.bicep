// The service on Azure Container Apps: hosts that scale with requests, workers that scale with doorbells, and jobs for the
// logins of the database, its migrations and the commands. docs/deployment.md gives the order of the steps.
targetScope = 'resourceGroup'

@minLength(3)
@maxLength(20)
param name string = 'governance'
param location string = resourceGroup().location
param tags object = {}

@description('The images with their registry, and a tag or a digest.')
param hostImage string
param workerImage string
@description('The image of the jobs: that of the next release while its migrations run.')
param jobImage string = workerImage
@description('What the job for commands runs: tenant, doctor, audit-verify or audit-resume, with its arguments.')
param command array = [
  'doctor'
]
@description('The container registry, in the same resource group: the service may pull from it.')
param registryName string
@description('The Postgres client that creates the logins.')
param postgresImage string = 'docker.io/library/postgres:18.4-bookworm'

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

param minHosts int = 2
param maxHosts int = 6
param maxWorkers int = 8

module foundation 'modules/foundation.bicep' = {
  name: '${name}-foundation'
  params: {
    name: name
    location: location
    tags: tags
    appsDelegation: 'Microsoft.App/environments'
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

resource environment 'Microsoft.App/managedEnvironments@2025-01-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    vnetConfiguration: {
      infrastructureSubnetId: foundation.outputs.appsSubnetId
    }
    appLogsConfiguration: {
      destination: 'azure-monitor'
    }
    workloadProfiles: [
      {
        name: 'Consumption'
        workloadProfileType: 'Consumption'
      }
    ]
    zoneRedundant: true
  }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: environment
  name: 'workspace'
  properties: {
    workspaceId: foundation.outputs.workspaceId
    logs: [
      {
        categoryGroup: 'allLogs'
        enabled: true
      }
    ]
  }
}

var plainSettings = union(
  {
    SVC_ENV: 'production'
    SVC_AUTH_MODE: 'idp'
    SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_SIGNING_KEY'
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET'
    AzureWebJobsStorage__accountName: foundation.outputs.storageName
    AzureWebJobsStorage__credential: 'managedidentity'
    AzureWebJobsStorage__clientId: foundation.outputs.identityClientId
    // The service's own clients of queues and tables take this identity.
    AZURE_CLIENT_ID: foundation.outputs.identityClientId
  },
  settings
)

// Settings that hold a secret, by the name of the secret in the vault, which allows no underscores.
var furtherSecrets = toObject(
  items(secretSettings),
  setting => setting.key,
  setting => 'setting-${toLower(replace(setting.key, '_', '-'))}'
)
var rotation = empty(previousSessionSecret) ? {} : {
  SVC_SESSION_SECRET_PREVIOUS: 'session-secret-previous'
}
var runtimeSecrets = union(rotation, furtherSecrets, {
  SVC_DATABASE_URL: 'database-url'
  SVC_SESSION_SECRET: 'session-secret'
  AUDIT_SIGNING_KEY: 'audit-signing-key'
  IDP_CLIENT_SECRET: 'idp-client-secret'
})
var ownerSecrets = union(runtimeSecrets, {
  SVC_MIGRATION_DATABASE_URL: 'migration-database-url'
})
var schemaSecrets = {
  SVC_DATABASE_URL: 'database-url'
  SVC_MIGRATION_DATABASE_URL: 'migration-database-url'
}
var loginSecrets = {
  PGPASSWORD: 'postgres-password'
  OWNER_PASSWORD: 'owner-password'
  RUNTIME_PASSWORD: 'runtime-password'
}

var plainEnvironment = map(items(plainSettings), setting => {
  name: setting.key
  value: string(setting.value)
})
var runtimeEnvironment = concat(plainEnvironment, map(items(runtimeSecrets), setting => {
  name: setting.key
  secretRef: setting.value
}))
var ownerEnvironment = concat(plainEnvironment, map(items(ownerSecrets), setting => {
  name: setting.key
  secretRef: setting.value
}))
var schemaEnvironment = map(items(schemaSecrets), setting => {
  name: setting.key
  secretRef: setting.value
})

var registries = [
  {
    server: foundation.outputs.registryServer
    identity: foundation.outputs.identityId
  }
]
var identity = {
  type: 'UserAssigned'
  userAssignedIdentities: {
    '${foundation.outputs.identityId}': {}
  }
}

module host 'modules/host-app.bicep' = {
  name: '${name}-host'
  params: {
    name: '${name}-host'
    location: location
    tags: tags
    environmentId: environment.id
    identityId: foundation.outputs.identityId
    image: hostImage
    registries: registries
    secrets: map(items(runtimeSecrets), setting => {
      name: setting.value
      keyVaultUrl: '${foundation.outputs.vaultUri}secrets/${setting.value}'
      identity: foundation.outputs.identityId
    })
    env: concat(runtimeEnvironment, [
      {
        name: 'AzureWebJobsSecretStorageType'
        value: 'files'
      }
      {
        name: 'languageWorkers__node__arguments'
        value: '--max-http-header-size=49152'
      }
      {
        name: 'APPLICATIONINSIGHTS_CONNECTION_STRING'
        value: foundation.outputs.insightsConnectionString
      }
      {
        name: 'APPLICATIONINSIGHTS_AUTHENTICATION_STRING'
        value: 'Authorization=AAD;ClientId=${foundation.outputs.identityClientId}'
      }
    ])
    minReplicas: minHosts
    maxReplicas: maxHosts
  }
}

module worker 'modules/worker-app.bicep' = {
  name: '${name}-worker'
  params: {
    name: '${name}-worker'
    location: location
    tags: tags
    environmentId: environment.id
    identityId: foundation.outputs.identityId
    image: workerImage
    registries: registries
    secrets: map(items(runtimeSecrets), setting => {
      name: setting.value
      keyVaultUrl: '${foundation.outputs.vaultUri}secrets/${setting.value}'
      identity: foundation.outputs.identityId
    })
    env: runtimeEnvironment
    storageName: foundation.outputs.storageName
    queueName: foundation.outputs.queueName
    maxReplicas: maxWorkers
  }
}

// Creates the logins and the database: before the first migration, and after a password has changed.
resource logins 'Microsoft.App/jobs@2025-01-01' = {
  name: '${name}-logins'
  location: location
  tags: tags
  identity: identity
  properties: {
    environmentId: environment.id
    workloadProfileName: 'Consumption'
    configuration: {
      triggerType: 'Manual'
      replicaTimeout: 300
      replicaRetryLimit: 3
      manualTriggerConfig: {
        parallelism: 1
        replicaCompletionCount: 1
      }
      secrets: map(items(loginSecrets), setting => {
        name: setting.value
        keyVaultUrl: '${foundation.outputs.vaultUri}secrets/${setting.value}'
        identity: foundation.outputs.identityId
      })
    }
    template: {
      containers: [
        {
          name: 'logins'
          image: postgresImage
          command: [
            '/bin/sh'
            '-c'
            loadTextContent('../container/create-logins.sh')
          ]
          env: concat(
            [
              {
                name: 'PGHOST'
                value: foundation.outputs.postgresHost
              }
              {
                name: 'PGUSER'
                value: foundation.outputs.postgresLogin
              }
              {
                name: 'PGSSLMODE'
                value: 'require'
              }
            ],
            map(items(loginSecrets), setting => {
              name: setting.key
              secretRef: setting.value
            })
          )
          resources: {
            cpu: json('0.25')
            memory: '0.5Gi'
          }
        }
      ]
    }
  }
}

// Brings the schema up to date: before each release starts.
resource migrate 'Microsoft.App/jobs@2025-01-01' = {
  name: '${name}-migrate'
  location: location
  tags: tags
  identity: identity
  properties: {
    environmentId: environment.id
    workloadProfileName: 'Consumption'
    configuration: {
      triggerType: 'Manual'
      replicaTimeout: 3600
      replicaRetryLimit: 3
      manualTriggerConfig: {
        parallelism: 1
        replicaCompletionCount: 1
      }
      registries: registries
      secrets: map(items(schemaSecrets), setting => {
        name: setting.value
        keyVaultUrl: '${foundation.outputs.vaultUri}secrets/${setting.value}'
        identity: foundation.outputs.identityId
      })
    }
    template: {
      containers: [
        {
          name: 'migrate'
          image: jobImage
          args: [
            'migrate'
          ]
          env: schemaEnvironment
          resources: {
            cpu: json('0.5')
            memory: '1Gi'
          }
        }
      ]
    }
  }
}

// Runs one command with every setting. A start with other arguments would lose the environment, so they are a parameter.
resource runCommand 'Microsoft.App/jobs@2025-01-01' = {
  name: '${name}-command'
  location: location
  tags: tags
  identity: identity
  properties: {
    environmentId: environment.id
    workloadProfileName: 'Consumption'
    configuration: {
      triggerType: 'Manual'
      replicaTimeout: 600
      replicaRetryLimit: 0
      manualTriggerConfig: {
        parallelism: 1
        replicaCompletionCount: 1
      }
      registries: registries
      secrets: map(items(ownerSecrets), setting => {
        name: setting.value
        keyVaultUrl: '${foundation.outputs.vaultUri}secrets/${setting.value}'
        identity: foundation.outputs.identityId
      })
    }
    template: {
      containers: [
        {
          name: 'command'
          image: jobImage
          args: command
          env: ownerEnvironment
          resources: {
            cpu: json('0.5')
            memory: '1Gi'
          }
        }
      ]
    }
  }
}

output hostName string = host.outputs.fqdn
