{{- define "svc.name" -}}
{{- if contains "svc" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-svc" (.Release.Name | trunc 36 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}{{ else }}{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}{{ end }}
{{- end }}

{{- define "svc.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "svc.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Files, because the environment of a process is inherited, printed and dumped. */}}
{{- define "svc.databaseEnv" -}}
- { name: DATABASE_URL_FILE, value: /run/secrets/svc/database-url }
{{- if .Values.hasDirectUrl }}
- { name: SVC_DATABASE_DIRECT_URL_FILE, value: /run/secrets/svc/database-direct-url }
{{- end }}
{{- if .Values.hasPassword }}
- { name: SVC_DATABASE_PASSWORD_FILE, value: /run/secrets/svc/database-password }
{{- end }}
{{- end }}

{{- define "svc.mounts" -}}
- { name: secrets, mountPath: /run/secrets/svc, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "svc.volumes" -}}
- name: secrets
  secret: { secretName: {{ .Values.existingSecret | quote }}, defaultMode: 0440 }
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- end }}
