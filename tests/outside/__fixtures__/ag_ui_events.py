"""Reads events of AG-UI, one a line, with the types of ag-ui-protocol. Prints a line with their number and what went wrong."""

import json
import sys

from ag_ui.core import Event
from pydantic import TypeAdapter

adapter = TypeAdapter(Event)
faults = []
with open(sys.argv[1], encoding="utf-8") as lines:
    events = [json.loads(line)["event"] for line in lines]
for event in events:
    try:
        adapter.validate_python(event)
    except Exception as error:  # Every failure is a finding.
        faults.append(f"{json.dumps(event)}: {error}")
result = {"name": f"{len(events)} events by the types of ag-ui-protocol"}
if faults or not events:
    result["fault"] = (faults or ["no events"])[0][:800]
print(json.dumps(result))
