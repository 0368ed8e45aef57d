import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.DecisionsApi;
import org.openapitools.client.model.DecideBatchRequest;
import org.openapitools.client.model.DecideRequest;

/** Decides one input and a batch by a client of openapi-generator: the address and the key are the arguments. */
public class Decide {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[1]));
    var api = new DecisionsApi(client);
    var request =
        new DecideRequest().decisionType("loan").input(Map.of("amount", 60000, "applicant", Map.of("score", 780)));
    var one = api.decide(request, null, null, true, null);
    var batch = api.decideBatch(new DecideBatchRequest().decisions(List.of(request, request)), true, null);
    System.out.println(one.getDecision() + " " + one.getDryRun() + " " + batch.getSucceeded());
  }
}
