{{- define "parley.name" -}}
{{- if contains "parley" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-parley{{ end }}
{{- end }}
{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "parley.secret" -}}
{{ .Values.existingSecret | default (include "parley.name" .) }}
{{- end }}
