// The secrets of the service. The identity reads them, and nobody else by this template.
param name string
param location string
param tags object
param subnetId string
param principalId string
param workspaceId string

@secure()
@description('Values by secret name.')
param secrets object

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: tenant().tenantId
    sku: {
      family: 'A'
      name: 'standard'
    }
    enableRbacAuthorization: true
    enablePurgeProtection: true
    softDeleteRetentionInDays: 90
    networkAcls: {
      bypass: 'AzureServices'
      defaultAction: 'Deny'
      virtualNetworkRules: [
        {
          id: subnetId
        }
      ]
    }
  }
}

resource values 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = [
  for secret in items(secrets): {
    parent: vault
    name: secret.key
    properties: {
      value: secret.value
    }
  }
]

// Key Vault Secrets User
var reader = '4633458b-17de-408a-b874-0445c86b69e6'

resource grant 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: vault
  name: guid(vault.id, principalId, reader)
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', reader)
  }
}

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: vault
  name: 'workspace'
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        categoryGroup: 'audit'
        enabled: true
      }
    ]
  }
}

// Ends with a slash.
output uri string = vault.properties.vaultUri
