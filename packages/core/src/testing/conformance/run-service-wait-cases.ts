import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import {
  adasRun,
  eventsOfRun,
  playing,
  reaches,
  sending,
  sendTool,
  textIn,
  withServices,
} from "./run-service-subject.ts";
import type { RunServiceSubject } from "./run-service-subject.ts";

const ada = { userId: "ada" };

/** The cases of `runServiceCases` in which a run waits: for an answer, or for a tool of an earlier release. */
export const runServiceWaitCases = {
  "lets a run wait over a restart, and goes on in another process with the first answer": withServices(
    async (subject, services) => {
      const calls: unknown[] = [];
      const tools = [sendTool(calls)];
      const before = await services.serve(subject.storage, { agents: { a: playing(sending, tools) } });
      const { runId } = await before.accept(adasRun);
      const { waits = [] } = await reaches(before, runId, "waiting");
      assert.deepEqual(
        waits.map(({ id, kind }) => [id, kind]),
        [["t.0.0", "approval"]],
      );
      // The run's record shows the wait before the attempt is over, so the test waits for the end of the attempt.
      await before.drain(5000);
      assert.deepEqual(await subject.storage.list("run-open"), []);
      await before.close();

      const after = await services.serve(subject.second, { agents: { a: playing(sending.slice(1), tools) } });
      await rejectsWith(after.answer(runId, "t.0.0", { approved: "yes" }, ada), "invalid_request");
      await rejectsWith(after.answer(runId, "t.9.9", { approved: true }, ada), "not_found");
      await rejectsWith(after.answer(runId, "t.0.0", { approved: true }, { userId: "bob" }), "not_found");
      assert.deepEqual(calls, []);
      await after.answer(runId, "t.0.0", { approved: true }, ada);
      await after.answer(runId, "t.0.0", { approved: true }, ada).catch((error: unknown) => {
        // The service may refuse the second answer, but only because the run is already over.
        assert.match(String(error), /over/);
      });
      const events = await eventsOfRun(after, runId);

      assert.deepEqual(calls, [{ text: "Hi." }]);
      assert.equal(textIn(events), "I have sent it.");
      await rejectsWith(after.answer(runId, "t.0.0", { approved: false }, ada), "conflict");
      assert.equal((await reaches(after, runId, "completed")).attempts, 2);
    },
  ),
  "refuses a second, different answer": withServices(async (subject, services) => {
    const calls: unknown[] = [];
    const agents = { a: playing(sending, [sendTool(calls)]) };
    const service = await services.serve(subject.storage, { agents });
    const { runId } = await service.accept(adasRun);
    await reaches(service, runId, "waiting");
    await service.drain(0);
    const other = services.make(subject.second, { agents });
    await service.answer(runId, "t.0.0", { approved: false, reason: "No." }, ada);
    await other.answer(runId, "t.0.0", { reason: "No.", approved: false }, ada);

    await rejectsWith(other.answer(runId, "t.0.0", { approved: true }, ada), "conflict");
    await service.serve();
    await reaches(service, runId, "completed");
    assert.deepEqual(calls, []);
  }),
  "ends a run at once that is cancelled while it waits, and tells what became of its calls": withServices(
    async (subject, services) => {
      const calls: unknown[] = [];
      const service = await services.serve(subject.storage, { agents: { a: playing(sending, [sendTool(calls)]) } });
      const { runId } = await service.accept(adasRun);
      await reaches(service, runId, "waiting");
      await service.drain(5000);

      assert.equal(await service.cancel(runId, ada), "cancelled");
      assert.equal((await service.get(runId, ada)).status, "cancelled");
      await rejectsWith(service.answer(runId, "t.0.0", { approved: true }, ada), "conflict");
      assert.deepEqual(calls, []);
    },
  ),
  "lets a run wait whose tool is gone, says so, and goes on when it is back": withServices(
    async (subject, services) => {
      const calls: unknown[] = [];
      const tools = [sendTool(calls)];
      const before = await services.serve(subject.storage, { agents: { a: playing(sending, tools) } });
      const { runId } = await before.accept(adasRun);
      await reaches(before, runId, "waiting");
      await before.drain(0);
      await before.answer(runId, "t.0.0", { approved: true }, ada);
      await before.close();
      const without = await services.serve(subject.second, { agents: { a: playing([]) } });
      const { waits = [] } = await reaches(without, runId, "waiting");
      const logged = await subject.storage.list("run-log");

      assert.deepEqual(
        [waits[0]?.kind, waits[0]?.about],
        ["upgrade", { name: "a", missing: ["The tool send is gone."] }],
      );
      assert.deepEqual(await Array.fromAsync(without.checkUpgrade()), [
        { runId, kind: "agent", name: "a", missing: ["The tool send is gone."] },
      ]);
      await without.close();
      const after = await services.serve(subject.storage, { agents: { a: playing(sending.slice(1), tools) } });
      await reaches(after, runId, "completed");
      assert.deepEqual(calls, [{ text: "Hi." }]);
      assert.equal(
        logged.length,
        (await subject.storage.list("run-log")).findIndex(({ value }) => isSecondAttempt(value)),
      );
    },
  ),
} satisfies ConformanceCases<RunServiceSubject>;

function isSecondAttempt(record: unknown): boolean {
  return JSON.stringify(record).includes('"t":"attempt","n":2');
}
