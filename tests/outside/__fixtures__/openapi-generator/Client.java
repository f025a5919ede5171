import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import troupe.ApiClient;
import troupe.ApiException;
import troupe.JSON;
import troupe.api.AgentsApi;
import troupe.api.SessionsApi;
import troupe.api.WorkflowsApi;
import troupe.model.ContentPart;
import troupe.model.Error;
import troupe.model.ErrorError;
import troupe.model.FilePart;
import troupe.model.PartReference;
import troupe.model.RunRequest;
import troupe.model.RunRequestInput;
import troupe.model.StreamEvent;
import troupe.model.TextPart;
import troupe.model.Turn;
import troupe.model.TurnInputAnyOfInner;
import troupe.model.WorkflowResult;

/** Uses the clients that OpenAPI Generator makes for Java: `java Client URL`. Prints the fault of each use, or null. */
public final class Client {
  private interface Use {
    void run() throws Exception;
  }

  private static final String QUESTION = "What is in it?";
  private static final File PLAN = new File("plan.pdf");

  private final AgentsApi agents;
  private final SessionsApi sessions;
  private final WorkflowsApi workflows;
  private final forms.api.AgentsApi formAgents;

  private Client(String url) {
    ApiClient client = new ApiClient().setBasePath(url);
    agents = new AgentsApi(client);
    sessions = new SessionsApi(client);
    workflows = new WorkflowsApi(client);
    formAgents = new forms.api.AgentsApi(new forms.ApiClient().setBasePath(url));
  }

  public static void main(String[] args) {
    Client client = new Client(args[0]);
    Map<String, Use> uses = new LinkedHashMap<>();
    uses.put("run", client::runAnAgent);
    uses.put("structured", client::readStructuredOutput);
    uses.put("workflow", client::runAWorkflow);
    uses.put("file", client::sendAFileInJson);
    uses.put("turns", client::readTurns);
    uses.put("parts", client::readTheParts);
    uses.put("error", client::readAnError);
    uses.put("stream", client::readTheEvents);
    uses.put("live", client::readEventsAsTheyCome);
    uses.put("formBesideJson", client::sendAFormBesideJson);
    uses.put("form", client::sendAForm);
    Map<String, String> faults = new LinkedHashMap<>();
    uses.forEach((name, use) -> faults.put(name, faultOf(use)));
    System.out.println(JSON.getGson().newBuilder().serializeNulls().create().toJson(faults));
    // The threads of the connections would keep the process for a minute.
    System.exit(0);
  }

  private static String faultOf(Use use) {
    try {
      use.run();
      return null;
    } catch (Exception | AssertionError error) {
      return error.toString();
    }
  }

  private static void equal(Object found, Object expected) {
    if (!expected.equals(found)) throw new AssertionError("found " + found + ", expected " + expected);
  }

  private static RunRequest asking(String question) {
    return new RunRequest().input(new RunRequestInput(question));
  }

  private void runAnAgent() throws ApiException {
    equal(agents.runAgentAssistant(asking("Hello?").sessionId("java"), null, null, null, null).getText(), "Hello.");
  }

  private void readStructuredOutput() throws ApiException {
    equal(agents.runAgentWeatherReport(asking("Oslo?"), null, null, null, null).getStructured().getCity(), "Rain.");
  }

  private void runAWorkflow() throws ApiException {
    WorkflowResult result = workflows.runWorkflowMorningBriefing(null, null, null, null, null);
    equal(result.getStatus(), WorkflowResult.StatusEnum.COMPLETED);
  }

  private void sendAFileInJson() throws ApiException, IOException {
    String data = Base64.getEncoder().encodeToString(Files.readAllBytes(PLAN.toPath()));
    FilePart file = new FilePart().type(FilePart.TypeEnum.FILE).data(data).mimeType("application/pdf");
    TextPart text = new TextPart().type(TextPart.TypeEnum.TEXT).text(QUESTION);
    List<ContentPart> parts = List.of(new ContentPart(text), new ContentPart(file.filename("plan.pdf")));
    RunRequest request = new RunRequest().input(new RunRequestInput(parts)).sessionId("java-file");
    equal(agents.runAgentAssistant(request, null, null, null, null).getText(), "Hello.");
  }

  private void readTurns() throws ApiException {
    Turn turn = sessions.listTurns("java", null, null, null).getTurns().get(0);
    equal(turn.getInput().getActualInstance(), "Hello?");
    equal(turn.getMessages().get(turn.getMessages().size() - 1).getContent().getActualInstance(), "Hello.");
    long age = System.currentTimeMillis() - turn.getCreatedAt().longValue();
    if (Math.abs(age) > 5_000) throw new AssertionError("createdAt is " + age + " milliseconds ago");
  }

  private void readTheParts() throws ApiException {
    List<TurnInputAnyOfInner> parts =
        sessions.listTurns("java-file", null, null, null).getTurns().get(0).getInput().getListTurnInputAnyOfInner();
    equal(((TextPart) parts.get(0).getContentPart().getActualInstance()).getText(), QUESTION);
    PartReference file = parts.get(1).getPartReference();
    equal(file.getStored().getIndex(), 0L);
  }

  private void readAnError() throws IOException {
    try {
      sessions.readSession("nowhere");
    } catch (ApiException failure) {
      equal(Error.fromJson(failure.getResponseBody()).getError().getCode(), ErrorError.CodeEnum.NOT_FOUND);
      return;
    }
    throw new AssertionError("no exception was thrown");
  }

  private static Map<String, Long> timesOf(Reader stream) throws IOException {
    Map<String, Long> times = new LinkedHashMap<>();
    BufferedReader lines = new BufferedReader(stream);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!line.startsWith("data: ")) continue;
      Object event = StreamEvent.fromJson(line.substring(6)).getActualInstance();
      times.put(event.getClass().getSimpleName(), System.nanoTime());
    }
    return times;
  }

  private void readTheEvents() throws ApiException, IOException {
    String text = agents.streamAgentAssistant(asking("Hello?"), null, null, null, null);
    equal(new ArrayList<>(timesOf(new StringReader(text)).keySet()), List.of("TextChunk", "FinishChunk"));
  }

  private void readEventsAsTheyCome() throws ApiException, IOException {
    RunRequest request = asking("Answer slowly.");
    try (var response = agents.streamAgentAssistantCall(request, null, null, null, null, null).execute()) {
      Map<String, Long> times = timesOf(response.body().charStream());
      if (times.get("FinishChunk") - times.get("TextChunk") < 300_000_000L)
        throw new AssertionError("the first event came with the last one");
    }
  }

  private void sendAFormBesideJson() {
    boolean takesFiles = Stream.of(AgentsApi.class.getMethods())
        .filter(method -> method.getName().equals("runAgentAssistant"))
        .anyMatch(method -> List.of(method.getParameterTypes()).contains(List.class));
    if (!takesFiles) throw new AssertionError("runAgentAssistant takes no files");
  }

  private void sendAForm() throws forms.ApiException {
    List<File> files = List.of(PLAN);
    equal(
        formAgents.runAgentAssistant(QUESTION, null, null, null, null, files, "java-form", null, null).getText(),
        "Hello.");
  }
}
