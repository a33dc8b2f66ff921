/** Names of fields that say all that there is to say, beside their type. A field with another name needs a description. */
export const PLAIN_FIELDS: ReadonlySet<string> = new Set(
  `
about acknowledgedAt action activatedAt active aiProvider answer answered any approved approvedAt approvedBy
architecture askedAt asset assetCount assetName assets assetsAffected assignedAt assignees assignments at
attempt attempts attestedAt author available blobConnector by calls cancelled candidate candidatesAdded
candidatesInOtherBand candidatesWithdrawn capabilities capability category cause changeNotifications changedAt
changedLast7Days changes chatConnector checked checkedAt checkpoints checksum citation classification
classifications client clock cloudDriveConnector code complete completed confirmed connector
connectorInstanceId content contentStates context corrections correlationId count counters counts coverage
created createdAt createdBy critical curatedAt current currentLeases custom database day days dbOk dead
deadLetters deadUnits decidedAt decision decisions definition demoMode department derived description details
detectors difference dimensions direction domainName domains draft draftTaxonomy driveConnector dryRunVersion
edition effect email enabled end ended endedAt endedBy endsAt ensembles entitlementId entitlementVersion env
error evaluatedAt evaluation event examined examples expectation expected explanation failed failure family
features field fileBoxConnector filename finding findings findingsLessened findingsOpened findingsResolved
firstSeenAt fleet format from fromStatus groupId groups hash head health heapMiB high histograms history hits
host href id identity idpSignIn inaccessible industries inference inferredAt informationTypeDefinition
informationTypeName informationTypes integrations invitation isWorthwhile issuedAt issues items justification
keys keywords kind label labelName labelRead labelWrite labels lastAt lastAttemptAt lastCheckpoint
lastCompletedScan lastError lastSeenAt lastSignInAt lastUsedAt level license licensing listed location low
madeAt mailConnector managerName mappingId maxAssets maxBillableUsers maxMs maxScopes meanMs medium message
method metrics mimeType misses mode model models modifiedAt modifiedBy month name newestMigration newestScanAt
newestVersion node not_fetched note notes notificationId number of oldestAt oldestPendingUnit oldestScanAt
openFindings openedAt optedOut optedOutAt optional order origin outcome overall part partial path pending
pendingApprovals pendingReviews pendingUnits platform points positiveExamples principal principalKind
principalName principalStatus problems processed progress proposedAt proposedBy provenance provider
providerLogoutUrl question queue queueAssets queueLeased queuePending readAt readiness reason receivedAt
recentLogs record refusedAt regulation regulatoryMappings rejectReason remaining removed renewed renewedAt
requestedAt requestedBy requesterName rescore residentMiB resolvedAt result revisedAt role roles
routedDomainName rows s3Connector scannedAt scopeName scopeNote scopes scopesDeselected scopesRegistered sections sentAt sessionId setting
severity shared signalsReduced signalsRemoved signature similar similarTo since sizeBytes skipped smbConnector
source sourceCreatedAt sourceModifiedAt sqlConnector stage stands start startedAt state statement status step
steps subject submittedAt suggestions summary support suppression target targetAssetName targetAssetPath
targetScopeName task taskNote taskStatus taskTitle tasks telemetryVersion text thresholds time title to
toStatus token total totalMs totals training trigger type types unchanged understanding unsupported upSeconds
updatedAt updatedBy uploadedAt uploadedBy usage value version versions waitingQuestions waitingSince weight
weights where yours
`
    .trim()
    .split(/\s+/),
);
