{{- define "ptvc.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "ptvc.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ptvc.labels" -}}
{{ include "ptvc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "ptvc.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* What the runtime would refuse when it starts is refused here. */ -}}
{{- define "ptvc.check" -}}
{{- $_ := required "tls.secretName: others reach the runtime, so it needs a certificate" .Values.tls.secretName }}
{{- if not (or .Values.password.secretName .Values.tls.clientCertificates .Values.settings.oidc_issuer) }}
{{- fail "password.secretName, tls.clientCertificates or settings.oidc_issuer: nobody could come in" }}
{{- end }}
{{- if .Values.executors.enabled }}
{{- if not (hasPrefix "s3://" .Values.stores.blob) }}
{{- fail "executors reach blobs in S3 only: give stores.blob" }}
{{- end }}
{{- if not (regexMatch "^postgres(ql)?://" .Values.stores.consensus) }}
{{- fail "with executors the consensus is in PostgreSQL: give stores.consensus" }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The options of `ptvc serve` and `ptvc up` that say where the stores are. */ -}}
{{- define "ptvc.stores" -}}
{{- with .Values.stores.consensus }}
- --consensus
- {{ . | quote }}
{{- end }}
{{- with .Values.stores.blob }}
- --blob
- {{ . | quote }}
{{- end }}
{{- end }}

{{- define "ptvc.environment" -}}
{{- with .Values.secretsKey }}
{{- if .secretName }}
- name: PTVC_SECRETS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .secretName }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- with .Values.stores.blobCredentials }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: AWS_ACCESS_KEY_ID
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: AWS_SECRET_ACCESS_KEY
{{- end }}
{{- end }}

{{- define "ptvc.consensusPassword" -}}
{{- with .Values.stores.consensusPassword }}
{{- if .secretName }}
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .secretName }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- end }}

{{- define "ptvc.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}
