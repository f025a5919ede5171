import type { Json } from "../../sessions/storage/json.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { assert, inTime, until } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { sending, sendTool } from "./run-service-subject.ts";
import {
  ada,
  bob,
  eventsOf,
  gate,
  idsOfAnswer,
  onStage,
  refusedWith,
  textOfAnswer,
  unknownRunId,
} from "./transport-stage.ts";
import type {
  SentError,
  TransportClient,
  TransportEvent,
  TransportHarness,
  TransportRun,
} from "./transport-subject.ts";

/** The cases of `transportCases` about durable runs, which continue without their clients. */
export const transportStoredRunCases = {
  "lets durable runs go on without their client, and shows them to the next one [transport.stored-disconnect]": onStage(
    async (stage) => {
      const { tool, open } = gate();
      const model = new ScriptedModel({ text: "Wait. ", toolCalls: [{ name: "wait" }] }, "Done.");
      const agent = stage.agent({ model, tools: [tool] });
      const client = await stage.serve(agent, { runs: await stage.runsOf(agent) });
      const run = client.stream("agent", "a", { input: "x" });
      const { runId } = await idsOfAnswer(run);
      await until(() => model.calls[0]?.end === "completed");
      client.disconnect();
      await inTime(run.ended);
      const attached = attach(await stage.connect(), runId);
      open();

      assert.equal(textOfAnswer(await eventsOf(attached)), "Wait. Done.");
      assert.equal(attached.events.at(-1)?.type, "done");
    },
  ),
  "shows the events of a stored run from the beginning, and behind each of them without a gap [transport.stored-attach]":
    onStage(async (stage) => {
      const { tool, open } = gate();
      const model = new ScriptedModel(
        { text: ["One ", "two ", "three "], toolCalls: [{ name: "wait" }] },
        { text: ["four ", "five."] },
      );
      const agent = stage.agent({ model, tools: [tool] });
      const client = await stage.serve(agent, { runs: await stage.runsOf(agent) });
      const run = client.stream("agent", "a", { input: "x" });
      const { runId } = await idsOfAnswer(run);
      await until(() => textOfAnswer(run.events) === "One two three ");
      const second = attach(await stage.connect(), runId);
      await until(() => textOfAnswer(second.events) === "One two three ");
      open();
      const whole = shown(await eventsOf(run));

      assert.equal(textOfAnswer(run.events), "One two three four five.");
      assert.deepEqual(shown(await eventsOf(second)), whole);
      assert.deepEqual(shown(await eventsOf(attach(client, runId))), whole);
      const texts = run.events.filter(({ type }) => type === "text");
      assert.ok(
        texts.every(({ id }) => id !== undefined),
        "an event of text has no id",
      );
      for (const { id } of texts) {
        const behind = shown(await eventsOf(attach(client, runId, id)));
        assert.deepEqual(behind, whole.slice(whole.findLastIndex((event) => event.id === id) + 1));
      }
    }),
  "tells of a question of a waiting run, and takes its answer once it is right [transport.stored-wait]": onStage(
    async (stage) => {
      const calls: unknown[] = [];
      const agent = stage.agent({ model: new ScriptedModel(...sending), tools: [sendTool(calls)] });
      const client = await stage.serve(agent, { runs: await stage.runsOf(agent) });
      const run = client.stream("agent", "a", { input: "x" });
      const { runId } = await idsOfAnswer(run);
      const waitId = await waitIn(run);
      refusedWith(await answer(client, { runId, waitId, answer: { approved: "yes" } }), "invalid_request");
      refusedWith(await answer(client, { runId, waitId: "t.9.9", answer: { approved: true } }), "not_found");
      assert.deepEqual(calls, []);
      assert.equal((await answer(client, { runId, waitId, answer: { approved: true } })).error, undefined);

      assert.equal(textOfAnswer(await eventsOf(run)), "I have sent it.");
      assert.deepEqual(calls, [{ text: "Hi." }]);
    },
  ),
  "shows a stored run to its own user alone [transport.stored-owner]": onStage(async (stage) => {
    const calls: unknown[] = [];
    const agent = stage.agent({ model: new ScriptedModel(...sending), tools: [sendTool(calls)] });
    const nobody = await stage.serve(agent, { runs: await stage.runsOf(agent) });
    const adas = await stage.connect(ada);
    const run = adas.stream("agent", "a", { input: "x" });
    const { runId } = await idsOfAnswer(run);
    const waitId = await waitIn(run);
    for (const client of [nobody, await stage.connect(bob), await stage.connect({ ...ada, tenantId: "acme" })]) {
      assert.deepEqual((await eventsOf(attach(client, runId))).map(codeOf), ["not_found"]);
      refusedWith(await answer(client, { runId, waitId, answer: { approved: true } }), "not_found");
      refusedWith(await inTime(client.cancel(runId)), "not_found");
    }
    assert.deepEqual((await eventsOf(attach(adas, unknownRunId))).map(codeOf), ["not_found"]);
    assert.deepEqual(calls, []);
    const attached = attach(await stage.connect(ada), runId);
    assert.equal(await waitIn(attached), waitId);
    assert.equal((await inTime(adas.cancel(runId))).error, undefined);
    assert.deepEqual((await eventsOf(attached)).slice(-1).map(codeOf), ["cancelled"]);
    await inTime(run.ended);
  }),
} satisfies ConformanceCases<TransportHarness>;

type GivenAnswer = { readonly runId: string; readonly waitId: string; readonly answer: Json };

function attach(client: TransportClient, runId: string, after?: string): TransportRun {
  assert.ok(client.attach !== undefined, "the client cannot attach to a stored run");
  return client.attach(runId, after);
}

async function answer(client: TransportClient, given: GivenAnswer): Promise<{ error?: SentError }> {
  assert.ok(client.answer !== undefined, "the client cannot answer a question of a stored run");
  return await inTime(client.answer(given.runId, given.waitId, given.answer));
}

/** Waits until a run asks a question, and returns the id of its wait. */
async function waitIn(run: TransportRun): Promise<string> {
  const find = () => run.events.find((event) => event.type === "wait");
  await until(() => find() !== undefined);
  return find()?.waitId ?? "";
}

/** Returns the events of a stored run that have a position, reduced to the fields that are equal for all readers. */
function shown(events: readonly TransportEvent[]): { id: string | undefined; data: unknown }[] {
  return events.filter(({ id }) => id !== undefined).map(({ id, data }) => ({ id, data }));
}

function codeOf(event: TransportEvent): string {
  return event.type === "error" ? event.error.code : event.type;
}
