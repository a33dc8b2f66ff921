// The standalone worker, as a container app that scales with the doorbells that wait.
param name string
param location string
param tags object
param environmentId string
param identityId string
param image string
param registries array
param secrets array
param env array
param storageName string
param queueName string
param maxReplicas int

resource app 'Microsoft.App/containerApps@2025-01-01' = {
  name: name
  location: location
  tags: tags
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    environmentId: environmentId
    workloadProfileName: 'Consumption'
    configuration: {
      activeRevisionsMode: 'Single'
      registries: registries
      secrets: secrets
    }
    template: {
      terminationGracePeriodSeconds: 30
      containers: [
        {
          name: 'worker'
          image: image
          args: [
            'worker'
          ]
          env: env
          resources: {
            cpu: json('1')
            memory: '2Gi'
          }
          volumeMounts: [
            {
              volumeName: 'tmp'
              mountPath: '/tmp'
            }
          ]
        }
      ]
      scale: {
        minReplicas: 1
        maxReplicas: maxReplicas
        cooldownPeriod: 300
        pollingInterval: 15
        rules: [
          {
            name: 'doorbells'
            azureQueue: {
              accountName: storageName
              queueName: queueName
              queueLength: 1
              identity: identityId
            }
          }
        ]
      }
      volumes: [
        {
          name: 'tmp'
          storageType: 'EmptyDir'
        }
      ]
    }
  }
}
