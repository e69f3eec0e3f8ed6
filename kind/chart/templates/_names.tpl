{{- define "drakit.fullname" -}}
{{- if .Values.fullnameOverride -}}{{ .Values.fullnameOverride }}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}{{ .Release.Name | trunc 49 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name $name | trunc 49 | trimSuffix "-" }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "drakit.labels" -}}
{{ include "drakit.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "drakit.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Accounts: of the node plugins, and of the publisher that serves no node. */}}
{{- define "drakit.account" -}}
{{ default (printf "%s-kubeletplugin" (include "drakit.fullname" .)) (.Values.serviceAccount).name }}
{{- end -}}

{{- define "drakit.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
