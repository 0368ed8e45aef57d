"""Decide one input and a batch by a client of openapi-python-client: the address and the key are the arguments."""

import sys

from decision_workbench_client import AuthenticatedClient
from decision_workbench_client.api.decisions import decide, decide_batch
from decision_workbench_client.models import DecideBatchRequest, DecideRequest, DecideRequestInput

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
data = DecideRequestInput.from_dict({"amount": 60000, "applicant": {"score": 780}})
request = DecideRequest(decision_type="loan", input_=data)
one = decide.sync(client=client, body=request, dry_run=True)
batch = decide_batch.sync(client=client, body=DecideBatchRequest(decisions=[request, request]), dry_run=True)
print(one.decision, str(one.dry_run).lower(), batch.succeeded)
