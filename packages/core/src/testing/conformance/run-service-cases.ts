import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { runServiceWaitCases } from "./run-service-wait-cases.ts";
import {
  adasRun,
  eventsOfRun,
  isStoredAs,
  playing,
  reaches,
  recordsIn,
  textIn,
  withServices,
} from "./run-service-subject.ts";
import type { RunServiceSubject } from "./run-service-subject.ts";

const ada = { userId: "ada" };
const secret = "a seal key of at least 32 characters";
const day = 86_400_000;

/**
 * Conformance suite for a storage driver as the storage of a `RunService`: durable runs, from acceptance to removal.
 */
export const runServiceCases = {
  "gives each event of a run once and in order, from behind every position": withServices(async (subject, services) => {
    const service = await services.serve(subject.storage, { agents: { a: playing([{ text: "Good day, Ada." }]) } });
    const { runId, sessionId } = await service.accept(adasRun);
    const events = await eventsOfRun(service, runId);

    assert.equal(textIn(events), "Good day, Ada.");
    assert.equal(events.at(0)?.type, "attempt");
    assert.equal(events.at(-1)?.type, "end");
    for (const [index, { id }] of events.slice(0, -1).entries()) {
      assert.deepEqual(await eventsOfRun(service, runId, id), events.slice(index + 1));
    }
    const view = await reaches(service, runId, "completed");
    assert.deepEqual([view.sessionId, view.attempts], [sessionId, 1]);
  }),
  "performs after a restart what was accepted before, for a reader in another process": withServices(
    async (subject, services) => {
      const telling = services.make(subject.second, { agents: { a: playing([]) } });
      const { runId } = await telling.accept(adasRun);
      const reading = eventsOfRun(telling, runId);
      assert.equal((await telling.get(runId, ada)).status, "queued");
      await services.serve(subject.storage, { agents: { a: playing([{ text: "Late." }]) } });

      assert.equal(textIn(await reading), "Late.");
    },
  ),
  "takes a repeated request with its key for the same run, and refuses another one": withServices(
    async (subject, services) => {
      const service = services.make(subject.storage, { agents: { a: playing([]) } });
      const keyed = { ...adasRun, idempotencyKey: "k" };
      const both = await Promise.all([service.accept(keyed), service.accept(keyed)]);
      const again = await services.make(subject.second, { agents: { a: playing([]) } }).accept(keyed);

      assert.equal(both.filter(({ isNew }) => isNew).length, 1);
      assert.equal(new Set([...both, again].map(({ runId, sessionId }) => `${runId} ${sessionId}`)).size, 1);
      await rejectsWith(service.accept({ ...keyed, input: "Other." }), "idempotency_mismatch");
      const other = await service.accept({ ...keyed, owner: { userId: "bob" } });
      assert.notEqual(other.runId, again.runId);
    },
  ),
  "shows a run to its owner alone, and lists the owner's runs page by page": withServices(async (subject, services) => {
    const service = services.make(subject.storage, { agents: { a: playing([]) } });
    const accepted = [];
    for (const input of ["1", "2", "3"]) accepted.push(await service.accept({ ...adasRun, input }));
    const runId = accepted[0]?.runId ?? "";
    const page = await service.list(ada, { limit: 2 });
    const rest = await service.list(ada, { limit: 2, after: page.next });

    const listed = [...page.runs, ...rest.runs].map((run) => run.runId);
    assert.deepEqual(listed.toSorted(), accepted.map((run) => run.runId).toSorted());
    assert.equal(rest.next, undefined);
    for (const caller of [ada, "host"] as const) {
      for (const status of [undefined, "queued"] as const) {
        const full = await service.list(caller, { status, limit: 3 });
        assert.deepEqual([full.runs.length, full.next], [3, undefined]);
      }
    }
    assert.deepEqual((await service.list({ userId: "bob" })).runs, []);
    for (const caller of [{ userId: "bob" }, {}, { userId: "ada", verified: false }, { ...ada, tenantId: "t" }]) {
      await rejectsWith(service.get(runId, caller), "not_found");
      await rejectsWith(service.cancel(runId, caller), "not_found");
      await rejectsWith(service.events(runId, caller).next(), "not_found");
    }
  }),
  "lists the runs of one status page by page, newest first, as soon as they have it": withServices(
    async (subject, services) => {
      const service = services.make(subject.storage, { agents: { a: playing([]) } });
      const accepted: string[] = [];
      for (let count = 0; count < 6; count++) accepted.push((await service.accept(adasRun)).runId);
      for (const runId of accepted.slice(0, 3)) await service.cancel(runId, ada);
      const telling = services.make(subject.second, { agents: { a: playing([]) } });
      const idsOf = async (status: "queued" | "cancelled" | "completed" | undefined): Promise<string[]> => {
        const { runs, next } = await telling.list(ada, { status, limit: 2 });
        const rest = next === undefined ? [] : (await telling.list(ada, { status, limit: 4, after: next })).runs;
        const times = [...runs, ...rest].map(({ createdAt }) => createdAt);
        assert.deepEqual(
          times,
          times.toSorted((one, other) => other - one),
        );
        return [...runs, ...rest].map(({ runId }) => runId).toSorted();
      };

      assert.deepEqual(await idsOf("cancelled"), accepted.slice(0, 3).toSorted());
      assert.deepEqual(await idsOf("queued"), accepted.slice(3).toSorted());
      assert.deepEqual(await idsOf("completed"), []);
      await service.delete(accepted[0] ?? "", ada);
      assert.deepEqual(await idsOf("cancelled"), accepted.slice(1, 3).toSorted());
      assert.deepEqual(await idsOf(undefined), accepted.slice(1).toSorted());
    },
  ),
  "ends a run at once that is cancelled while it is queued, and never performs it": withServices(
    async (subject, services) => {
      const service = services.make(subject.storage, { agents: { a: playing([{ text: "Never." }]) } });
      const { runId } = await service.accept(adasRun);
      assert.equal(await service.cancel(runId, ada, "I changed my mind."), "cancelled");
      assert.equal(await service.cancel(runId, ada), "over");
      await service.serve();

      assert.equal((await service.get(runId, ada)).status, "cancelled");
      const events = await eventsOfRun(service, runId);
      const end = events.at(-1);
      assert.equal(end?.type === "end" && end.error?.code, "cancelled");
      assert.equal(textIn(events), "");
    },
  ),
  "keeps a caller's key sealed until the end of the run, and not after it": withServices(async (subject, services) => {
    const options = { agents: { a: playing([{ text: "Done." }]) }, sealKeys: [secret] };
    const keys = { apiKeys: { scripted: "the-callers-key" } };
    const before = services.make(subject.storage, options);
    const { runId } = await before.accept({ ...adasRun, keys });
    const [sealed] = await subject.storage.list("runs");
    assert.ok(JSON.stringify(sealed).includes('"keys":"'));
    await before.close();
    const after = await services.serve(subject.second, options);
    await eventsOfRun(after, runId);
    await isStoredAs(subject.storage, after, { runId, status: "completed" });

    assert.deepEqual(
      (await recordsIn(subject.storage)).filter(
        (record) => record.includes("the-callers-key") || record.includes('"keys"'),
      ),
      [],
    );
  }),
  "leaves nothing of a session, a user or a run that is removed": withServices(async (subject, services) => {
    const service = await services.serve(subject.storage, { agents: { a: playing([{ text: "1" }, { text: "2" }]) } });
    const first = await service.accept({ ...adasRun, options: { sessionId: "s" } });
    await eventsOfRun(service, first.runId);
    const second = await service.accept({ ...adasRun, notBefore: Date.now() + day });
    await service.forgetSession("s", ada);
    await rejectsWith(service.get(first.runId, ada), "not_found");
    assert.equal((await service.get(second.runId, ada)).status, "queued");
    await service.forgetUser(ada);

    assert.deepEqual(await recordsIn(subject.storage), []);
  }),
  "removes logs and then records of ended runs, and leaves nothing": withServices(async (subject, services) => {
    let now = Date.now();
    const service = await services.serve(subject.storage, {
      agents: { a: playing([{ text: "1" }, { text: "2" }]) },
      now: () => now,
    });
    const { runId } = await service.accept(adasRun);
    await eventsOfRun(service, runId);
    await isStoredAs(subject.storage, service, { runId, status: "completed" });
    now += 2 * day;
    await service.removal.cleanUp();
    assert.deepEqual(await subject.storage.list("run-log"), []);
    assert.equal((await service.get(runId, ada)).status, "completed");
    await rejectsWith(service.events(runId, ada).next(), "gone");
    now += 6 * day;
    await service.removal.cleanUp();

    assert.deepEqual(await recordsIn(subject.storage), []);
  }),
  ...runServiceWaitCases,
} satisfies ConformanceCases<RunServiceSubject>;
