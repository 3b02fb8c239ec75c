"""`python render_chart.py CHART VALUES`: the chart's manifests and findings as JSON, by Helm's own code.

It runs in the environment of `requirements/deploy.txt`, where nothing of Parley is.
"""

import json
import sys

import helm_python as helm  # type: ignore[import-not-found]

values = json.loads(sys.argv[2])
chart = helm.Chart.load(sys.argv[1])
try:
    chart.validate_schema(values)
    rendered = chart.render(values, name="team", namespace="chats", is_install=True)
except helm.HelmError as error:
    sys.exit(str(error))
print(json.dumps({"manifests": rendered, "lint": helm.lint(sys.argv[1], values, strict=True)}))
