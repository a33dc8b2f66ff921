{{/* Objects are named after the release, and Kubernetes takes names of 52 characters for templates of jobs. */}}
{{- define "governance.check" -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$" .Release.Name) }}
{{- fail "The name of the release must begin with a letter, have small letters, digits and hyphens alone, and at most 42 characters." }}
{{- end }}
{{- $names := list }}
{{- range .Values.shares }}{{ $names = append $names .name }}{{ end }}
{{- if ne (len $names) (len (uniq $names)) }}
{{- fail "Each share needs a name of its own." }}
{{- end }}
{{- range list "SVC_SMB_ENABLED" "SVC_SMB_ROOT" "SVC_SMB_SHARES" }}
{{- if and $.Values.shares (hasKey $.Values.settings .) }}
{{- fail (printf "%s follows from the shares: take it out of the settings." .) }}
{{- end }}
{{- end }}
{{- range $name, $key := .Values.secretSettings }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "%s is among the settings and the secretSettings: set one of them." $name) }}
{{- end }}
{{- end }}
{{- range list "host" "worker" }}
{{- $scale := (index $.Values .).scale }}
{{- if and $scale.enabled (gt (int $scale.min) (int $scale.max)) }}
{{- fail (printf "%s.scale: min is above max." .) }}
{{- end }}
{{- end }}
{{- if and .Values.worker.scale.enabled (not .Values.secretSettings.AzureWebJobsStorage) (not (and .Values.workloadIdentity.clientId .Values.settings.AzureWebJobsStorage__accountName)) }}
{{- fail "worker.scale needs the queue: AzureWebJobsStorage among the secretSettings, or workloadIdentity.clientId with AzureWebJobsStorage__accountName among the settings." }}
{{- end }}
{{- end }}

{{/* Labels of a resource. Takes the root and the name of the component. */}}
{{- define "governance.labels" -}}
{{ include "governance.selector" . }}
app.kubernetes.io/part-of: data-governance-service
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "governance.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "governance.podLabels" -}}
{{ include "governance.labels" . }}
{{- if .root.Values.workloadIdentity.clientId }}
azure.workload.identity/use: "true"
{{- end }}
{{- end }}

{{/* The image of a component: `host` or `worker`. */}}
{{- define "governance.image" -}}
image: {{ .root.Values.images.registry }}/data-governance-service-{{ .image }}:{{ .root.Values.images.tag | default .root.Chart.AppVersion }}
imagePullPolicy: {{ .root.Values.images.pullPolicy }}
{{- end }}

{{/* What all pods have: no rights on the node, none on the API of Kubernetes. */}}
{{- define "governance.pod" -}}
automountServiceAccountToken: false
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "governance.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
{{- end }}

{{/* Variables of every process. */}}
{{- define "governance.env" -}}
{{- if .Values.authorities.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/authorities/{{ .Values.authorities.key }}
{{- end }}
{{- end }}

{{/* Variables of hosts and workers. */}}
{{- define "governance.processEnv" -}}
- name: SVC_SCANNER_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- if .Values.serviceMonitor.enabled }}
- name: SVC_METRICS_PORT
  value: {{ .Values.serviceMonitor.port | quote }}
- name: SVC_METRICS_INTERFACES
  value: all
{{- end }}
{{ include "governance.env" . }}
{{- end }}

{{- define "governance.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: secrets
  mountPath: /run/secrets/governance
  readOnly: true
{{- if .Values.authorities.configMap }}
- name: authorities
  mountPath: /run/authorities
  readOnly: true
{{- end }}
{{- end }}

{{- define "governance.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
# Whole: each key is a file, and a setting names it.
- name: secrets
  secret:
    secretName: {{ .Values.secrets.name }}
    defaultMode: 288 # 0440
{{- if .Values.authorities.configMap }}
- name: authorities
  configMap:
    name: {{ .Values.authorities.configMap }}
{{- end }}
{{- end }}

{{- define "governance.ownerMount" -}}
- name: owner
  mountPath: /run/secrets/governance-owner
  readOnly: true
{{- end }}

{{- define "governance.ownerVolume" -}}
- name: owner
  secret:
    secretName: {{ .Values.secrets.owner }}
    defaultMode: 288 # 0440
{{- end }}

{{/* The names with commas between them. */}}
{{- define "governance.shareNames" -}}
{{- range $at, $share := . }}{{ if $at }},{{ end }}{{ $share.name }}{{ end }}
{{- end }}

{{- define "governance.shareMounts" -}}
{{- range .Values.shares }}
- name: share-{{ .name }}
  mountPath: /mnt/shares/{{ .name }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "governance.shareVolumes" -}}
{{- range .Values.shares }}
- name: share-{{ .name }}
  persistentVolumeClaim:
    claimName: {{ .claim }}
    readOnly: true
{{- end }}
{{- end }}

{{/* Pods restart when the settings change. */}}
{{- define "governance.podAnnotations" -}}
checksum/settings: {{ include (print $.Template.BasePath "/settings.yaml") . | sha256sum }}
{{- end }}

{{- define "governance.commandResources" -}}
requests:
  cpu: 100m
  memory: 128Mi
limits:
  memory: 512Mi
{{- end }}

{{/* Fewer pods only after five minutes: a start costs more than an idle pod. */}}
{{- define "governance.slowDown" -}}
pollingInterval: 15
cooldownPeriod: 300
advanced:
  horizontalPodAutoscalerConfig:
    behavior:
      scaleDown:
        stabilizationWindowSeconds: 300
{{- end }}

{{- define "governance.namespaces" -}}
{{- range . }}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ . }}
{{- end }}
{{- end }}

{{- define "governance.out" -}}
policyTypes:
  - Egress
egress:
  - to:
      - namespaceSelector:
          matchLabels:
            kubernetes.io/metadata.name: kube-system
        podSelector:
          matchLabels:
            k8s-app: kube-dns
      {{- with .Values.networkPolicy.nodeLocalDns }}
      - ipBlock:
          cidr: {{ . }}/32
      {{- end }}
    ports:
      - protocol: UDP
        port: 53
      - protocol: TCP
        port: 53
  - to:
      # Some networks match no pod by its address.
      - namespaceSelector: {}
      - ipBlock:
          cidr: 0.0.0.0/0
          except:
            - 169.254.0.0/16
      - ipBlock:
          cidr: ::/0
          except:
            - fe80::/10
    ports:
      {{- range $what, $port := .Values.networkPolicy.out }}
      - protocol: TCP
        port: {{ $port }} # {{ $what }}
      {{- end }}
{{- end }}
