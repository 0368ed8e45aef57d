"""Decide one input and a batch by a client of openapi-generator: the address and the key are the arguments."""

import sys

import openapi_client as client

url, key = sys.argv[1:]
api = client.DecisionsApi(client.ApiClient(client.Configuration(host=url, access_token=key)))
request = client.DecideRequest(decision_type="loan", input={"amount": 60000, "applicant": {"score": 780}})
one = api.decide(request, dry_run=True)
batch = api.decide_batch(client.DecideBatchRequest(decisions=[request, request]), dry_run=True)
print(one.decision, str(one.dry_run).lower(), batch.succeeded)
