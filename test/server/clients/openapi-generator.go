// Decides one input and a batch by a client of openapi-generator: the address and the key are the arguments.
package main

import (
	"context"
	"fmt"
	"os"

	"clients/api"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Args[1]}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Args[2])
	client := api.NewAPIClient(configuration)
	input := map[string]interface{}{"amount": 60000, "applicant": map[string]interface{}{"score": 780}}
	request := *api.NewDecideRequest("loan", input)
	one, _, err := client.DecisionsAPI.Decide(context.Background()).DecideRequest(request).DryRun(true).Execute()
	if err != nil {
		panic(err)
	}
	items := *api.NewDecideBatchRequest([]api.DecideRequest{request, request})
	batch, _, err := client.DecisionsAPI.DecideBatch(context.Background()).DecideBatchRequest(items).DryRun(true).Execute()
	if err != nil {
		panic(err)
	}
	fmt.Println(one.Decision, one.GetDryRun(), batch.Succeeded)
}
