import type { RunOpts } from "../../agents/run/run-options.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { Principal } from "../../transport/request/principal.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { assert, inTime, until } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import {
  ada,
  bob,
  eventsOf,
  gate,
  idsOfAnswer,
  onStage,
  refusedWith,
  saying,
  silent,
  unknownRunId,
  untilSo,
} from "./transport-stage.ts";
import type { TransportStage } from "./transport-stage.ts";
import type { TransportClient, TransportHarness } from "./transport-subject.ts";

/**
 * The cases of `transportCases` about the owner of a run, of its session and of its keys, and about the causes of its
 * end.
 */
export const transportOwnerCases = {
  "gives a key to the vendor of its run, and shows it to nobody else [transport.keys]": onStage(async (stage) => {
    // These keys have no recognisable form, so a logger must know them to mask them.
    const [mine, theirs] = ["adas-own-0123456789", "bobs-own-9876543210"];
    const quoting = (key: string) => ({ error: new Error(`The vendor knows nobody by ${key}.`) });
    const model = new ScriptedModel("1", "2", "3", quoting(mine), { text: "Well, ", ...quoting(mine) });
    const client = await stage.serve(stage.agent({ model }), { teams: { t: quotingItsKey(stage.agent({ model })) } });
    const received: unknown[] = [];
    for (const fields of [{ apiKey: mine }, { apiKey: theirs }, {}, { apiKey: mine }, { apiKey: `${mine}\n` }])
      received.push((await inTime(client.call("agent", "a", { input: "x", ...fields }))).data);
    received.push(await eventsOf(client.stream("agent", "a", { input: "x", apiKey: mine })));
    const failed = await inTime(client.call("team", "t", { input: "x", apiKey: theirs }));
    received.push(refusedWith(failed, "internal"), failed.data);

    assert.deepEqual(
      model.calls.map(({ options }) => options.apiKey),
      [mine, theirs, undefined, mine, mine],
    );
    const told = JSON.stringify([received, stage.lines]);
    assert.ok(!told.includes(mine) && !told.includes(theirs), "a key was sent or logged");
  }),
  "begins a new session for a client that names none, tells its id, and goes on in it [transport.new-session]": onStage(
    async (stage) => {
      const model = saying("Hi.");
      const client = await stage.serve(stage.agent({ model, sessionId: "configured", userId: "configured" }));
      const first = await inTime(client.call("agent", "a", { input: "1" }));
      const second = await idsOfAnswer(client.stream("agent", "a", { input: "2" }));
      const { sessionId } = first;
      assert.ok(typeof sessionId === "string" && sessionId.length >= 16, `the id can be guessed: ${sessionId}`);
      assert.equal(new Set([sessionId, second.sessionId, "configured"]).size, 3);
      const again = await inTime(client.call("agent", "a", { input: "3", sessionId }));

      assert.equal(again.sessionId, sessionId);
      assert.deepEqual(saidTo(model).at(-1), ["1", "3"]);
    },
  ),
  "keeps the sessions of users apart, and those of nobody [transport.session-owner]": onStage(async (stage) => {
    const model = saying("Hi.");
    const nobody = await stage.serve(stage.agent({ model }));
    const clients = [nobody, ...(await connectAll(stage, [ada, bob, { userId: "ada", tenantId: "acme" }]))];
    for (const [index, client] of clients.entries()) {
      const answer = await inTime(client.call("agent", "a", { input: String(index), sessionId: "s" }));
      assert.deepEqual([answer.error, answer.sessionId], [undefined, "s"]);
    }
    assert.deepEqual(saidTo(model), [["0"], ["1"], ["2"], ["3"]]);
    const again = await stage.connect(ada);
    await inTime(again.call("agent", "a", { input: "again", sessionId: "s" }));
    assert.deepEqual(saidTo(model).at(-1), ["1", "again"]);
  }),
  "refuses a userId that is not the principal, and gives an unproven one a space of its own [transport.user-claim]":
    onStage(async (stage) => {
      const model = saying("Hi.");
      const nobody = await stage.serve(stage.agent({ model }));
      const adas = await stage.connect(ada);
      refusedWith(await inTime(adas.call("agent", "a", { input: "x", userId: "bob" })), "forbidden");
      assert.deepEqual(
        (await eventsOf(adas.stream("agent", "a", { input: "x", userId: "bob" }))).map(({ type }) => type),
        ["error"],
      );
      assert.equal(model.calls.length, 0);
      for (const client of [adas, nobody, nobody, adas])
        await inTime(client.call("agent", "a", { input: String(model.calls.length), sessionId: "s", userId: "ada" }));

      assert.deepEqual(saidTo(model), [["0"], ["1"], ["1", "2"], ["0", "3"]]);
    }),
  "cancels the runs of a client that disconnects, and nobody else's [transport.disconnect]": onStage(async (stage) => {
    const model = silent();
    const client = await stage.serve(stage.agent({ model }));
    const other = await stage.connect();
    const kept = other.stream("agent", "a", { input: "kept" });
    await idsOfAnswer(kept);
    await until(() => model.calls.length === 1);
    client.stream("agent", "a", { input: "streamed" });
    client.call("agent", "a", { input: "called" }).catch(() => undefined);
    await until(() => model.calls.length === 3);
    client.disconnect();

    await until(() => model.calls.slice(1).every(({ end }) => end === "cancelled"));
    assert.equal(model.calls[0]?.end, "running");
    other.disconnect();
    await until(() => model.calls[0]?.end === "cancelled");
  }),
  "lets runs go on without their client where the host wants it, and stores the turn [transport.continue]": onStage(
    async (stage) => {
      const { tool, open } = gate();
      const model = new ScriptedModel({ toolCalls: [{ name: "wait" }] }, "Done.");
      const agent = stage.agent({ model, tools: [tool] });
      const client = await stage.serve(agent, { onDisconnect: "continue" });
      const run = client.stream("agent", "a", { input: "x", sessionId: "s" });
      await idsOfAnswer(run);
      await until(() => model.calls[0]?.end === "completed");
      client.disconnect();
      await inTime(run.ended);
      // When another client has received an answer, the service has noticed that the first client disconnected.
      const other = await stage.connect();
      for (let count = 0; count < 5; count += 1) await inTime(other.cancel(unknownRunId));
      open();

      await untilSo(async () => (await agent.sessions.readSession("s")).turns === 1);
      assert.equal(model.calls[1]?.end, "completed");
    },
  ),
  "cancels a run by its id for its own user alone, and without a user for all who know the id [transport.cancel]":
    onStage(async (stage) => {
      const model = silent();
      const nobody = await stage.serve(stage.agent({ model }));
      const adas = await stage.connect(ada);
      const run = adas.stream("agent", "a", { input: "x" });
      const { runId } = await idsOfAnswer(run);
      await until(() => model.calls.length === 1);
      for (const client of [await stage.connect(bob), nobody, await stage.connect({ ...ada, tenantId: "acme" })])
        refusedWith(await inTime(client.cancel(runId)), "not_found");
      refusedWith(await inTime(adas.cancel(unknownRunId)), "not_found");
      assert.equal(model.calls[0]?.end, "running");
      assert.equal((await inTime((await stage.connect(ada)).cancel(runId))).error, undefined);
      const last = (await eventsOf(run)).at(-1);
      assert.equal(last?.type === "error" && last.error.code, "cancelled");
      await until(() => model.calls[0]?.end === "cancelled");
      refusedWith(await inTime(adas.cancel(runId)), "not_found");

      const open = nobody.stream("agent", "a", { input: "x" });
      const ids = await idsOfAnswer(open);
      await until(() => model.calls.length === 2);
      assert.equal((await inTime((await stage.connect()).cancel(ids.runId))).error, undefined);
      await inTime(open.ended);
    }),
} satisfies ConformanceCases<TransportHarness>;

async function connectAll(stage: TransportStage, principals: readonly Principal[]): Promise<TransportClient[]> {
  return await Promise.all(principals.map(async (principal) => await stage.connect(principal)));
}

/** Returns the user messages that a model received, by its calls. */
function saidTo(model: ScriptedModel): unknown[][] {
  return model.calls.map(({ messages }) =>
    messages.filter(({ role }) => role === "user").map(({ content }) => content),
  );
}

/** Makes a runnable that fails with an error which quotes its run's API key. */
function quotingItsKey({ name, kind, eventBus }: Runnable): Runnable {
  const fail = (opts: RunOpts | undefined): never => {
    throw new Error(`Nobody is known by ${opts?.apiKey}.`);
  };
  return { name, kind, eventBus, run: async (_input, opts) => fail(opts), stream: (_input, opts) => fail(opts) };
}
