"""Renders the chart with the values on standard input, by Helm's own library, and holds what comes out to the schemas of Kubernetes.

Prints JSON: {"findings": [...], "documents": [...]} or {"refused": "..."}.
"""

import json
import sys

import helm_python as helm
import kubernetes_validate
import yaml

chart_folder = sys.argv[1]
values = json.load(sys.stdin)
findings = []
documents = []
try:
    with helm.Chart.load(chart_folder) as chart:
        manifests = chart.render(values, name="one", namespace="prod")
except helm.HelmError as error:
    print(json.dumps({"refused": str(error)}))
    sys.exit(0)
for path, text in manifests.items():
    if path.endswith(".txt"):
        continue
    for document in yaml.safe_load_all(text):
        if document is None:
            continue
        documents.append(document)
        try:
            kubernetes_validate.validate(document, "1.31", strict=True)
        except kubernetes_validate.ValidationError as error:
            findings.append(f"{path}: {document['kind']}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError:
            # Kinds of operators.
            if document["apiVersion"].startswith("monitoring.coreos.com/"):
                continue
            raise
print(json.dumps({"findings": findings, "documents": documents}))
