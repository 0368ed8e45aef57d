// Decides one input and a batch by a client of oapi-codegen: the address and the key are the arguments.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"clients/api"
)

func main() {
	authorise := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(authorise))
	if err != nil {
		panic(err)
	}
	request := api.DecideRequest{
		DecisionType: "loan",
		Input:        map[string]interface{}{"amount": 60000, "applicant": map[string]interface{}{"score": 780}},
	}
	dryRun := true
	one, err := client.DecideWithResponse(context.Background(), &api.DecideParams{DryRun: &dryRun}, request)
	if err != nil {
		panic(err)
	}
	batch, err := client.DecideBatchWithResponse(
		context.Background(), &api.DecideBatchParams{DryRun: &dryRun},
		api.DecideBatchRequest{Decisions: []api.DecideRequest{request, request}},
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(one.JSON200.Decision, *one.JSON200.DryRun, batch.JSON200.Succeeded)
}
