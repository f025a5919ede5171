import { TroupeError } from "../../../base/errors/troupe-error.ts";
import type { RunWait } from "../../../agents/run/run-wait.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import { owners } from "./run-world.ts";
import type { KnownRun, RunWorld } from "./run-world.ts";

/** Failures by which a client learns nothing: the process or its storage was away. */
const away: readonly unknown[] = ["unavailable", "storage_unavailable"];

/** The events that a reader has got: their ids, the last of them and its type. */
type Seen = { readonly ids: Set<string>; after: string | undefined; last: string };

/** The clients of the processes in a world: each call is one of any client, to any process that takes requests. */
export class RunClients {
  readonly #world: RunWorld;

  constructor(world: RunWorld) {
    this.#world = world;
  }

  async submit(name: string, notBefore?: number): Promise<void> {
    const { runs, random, pick } = this.#within();
    const number = runs.length + 1;
    const input = `run ${number}`;
    const run: KnownRun = {
      request: {
        kind: "agent",
        name,
        input,
        owner: pick(owners) ?? {},
        options: { sessionId: random() < 0.5 ? "s" : "t" },
        runId: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
        ...(number % 2 === 0 && { idempotencyKey: input }),
        ...(notBefore !== undefined && { notBefore }),
      },
      isAccepted: false,
      isRefused: false,
      isRemoving: false,
      isRemoved: false,
      isCancelled: false,
      isRepeated: false,
      deadline: 0,
      answers: new Map(),
    };
    runs.push(run);
    await this.#accept(run);
  }

  async #accept(run: KnownRun): Promise<void> {
    const { node } = this.#world;
    if (node === undefined) return;
    try {
      await node.whileAlive(node.service.accept(run.request));
      run.isAccepted = true;
    } catch (error) {
      run.isRefused = codeOf(error) === "rate_limited";
      throw error;
    }
  }

  /** Submits a run with the id of another one: with its key it is the same run, and without one it is refused. */
  async submitAgain(): Promise<void> {
    const { node, runs, pick, check } = this.#within();
    const run = pick(runs);
    if (node === undefined || run === undefined) return;
    run.isRepeated = true;
    const wasThere = run.isAccepted;
    const { idempotencyKey, input } = run.request;
    const again = await node.whileAlive(node.service.accept(run.request)).catch((error: unknown) => {
      const isRight = away.includes(codeOf(error)) || idempotencyKey === undefined || run.isRemoving || !wasThere;
      check(isRight, `a repetition is refused: ${String(error)}`);
    });
    if (!again) return;
    const isSame = idempotencyKey !== undefined && !again.isNew;
    check(isSame || run.isRemoving || !wasThere, `${input} is accepted twice`);
    Object.assign(run, { isAccepted: true, isRefused: false });
  }

  /** Reads the events of a run to its end, from one process after another. */
  async read(): Promise<void> {
    const { runs, pick, check } = this.#within();
    const run = pick(runs.filter(({ isAccepted }) => isAccepted));
    if (run === undefined) return;
    const seen: Seen = { ids: new Set(), after: undefined, last: "" };
    while (!(await this.#readOnce(run, seen))) await sleep(500);
    check(seen.last === "end" || run.isRemoving, `a reader of ${run.request.input} misses its end`);
  }

  /** Returns true when there is no more to read. */
  async #readOnce(run: KnownRun, seen: Seen): Promise<boolean> {
    const { node, check } = this.#within();
    if (node === undefined) return false;
    const { runId, owner } = run.request;
    try {
      const events = node.service.events(runId, owner, seen.after);
      for (;;) {
        const { done, value } = await node.whileAlive(events.next());
        if (done === true || value === undefined) return true;
        check(!seen.ids.has(value.id), "a reader gets an event twice");
        check(seen.last !== "end", "a reader gets an event behind the end");
        seen.ids.add(value.id);
        Object.assign(seen, { after: value.id, last: value.type });
      }
    } catch (error) {
      if (away.includes(codeOf(error))) return false;
      check(run.isRemoving, `a reader fails: ${String(error)}`);
      return true;
    }
  }

  /** Answers one of the runs that wait, with each of these answers at once. */
  async answer(...numbers: number[]): Promise<void> {
    const { runs, pick } = this.#within();
    const records = await this.#world.records();
    const run = pick(runs.filter(({ request }) => records.get(request.runId)?.status === "waiting"));
    if (run !== undefined) await Promise.all(numbers.map(async (number) => await this.answerRun(run, number)));
  }

  async answerRun(run: KnownRun, number: number): Promise<void> {
    const { node, random, check } = this.#within();
    const { runId, owner, input } = run.request;
    const [wait] = (await this.#world.records()).get(runId)?.waits ?? [];
    if (node === undefined || wait === undefined) return;
    const answer = answerTo(wait, number, random());
    const text = JSON.stringify(answer);
    // One whose answer is lost may have been taken all the same.
    if (text.includes('"again"')) run.answers.set(`${wait.id} ${number}`, text);
    await node.whileAlive(node.service.answer(runId, wait.id, answer, owner));
    const isFirst = (run.answers.get(wait.id) ?? text) === text;
    // Its removal takes the first one away.
    check(isFirst || run.isRemoving, `two answers to ${input} are taken`);
    run.answers.set(wait.id, text);
  }

  async cancel(): Promise<void> {
    const { node, runs, pick } = this.#within();
    const run = pick(runs);
    if (node === undefined || run === undefined) return;
    await node.whileAlive(node.service.cancel(run.request.runId, run.request.owner));
    run.isCancelled = true;
  }

  async remove(): Promise<void> {
    const { node, runs, pick } = this.#within();
    const run = pick(runs.filter(({ isAccepted }) => isAccepted));
    if (node === undefined || run === undefined) return;
    run.isRemoving = true;
    await node.whileAlive(node.service.delete(run.request.runId, run.request.owner));
    run.isRemoved = true;
  }

  /** Lets another user of the same name, from another tenant, try everything with a run. */
  async meddle(): Promise<void> {
    const { node, runs, pick, check } = this.#within();
    const run = pick(runs);
    if (node === undefined || run === undefined) return;
    const { runId, owner } = run.request;
    const stranger = { tenantId: owner.tenantId === "one" ? "two" : "one", userId: "ada" };
    const { service } = node;
    const tries = [
      async () => await service.get(runId, stranger),
      async () => await service.cancel(runId, stranger),
      async () => await service.delete(runId, stranger),
      async () => await service.answer(runId, "t.0.0", { approved: true }, stranger),
      async () => await service.events(runId, stranger).next(),
    ];
    const results = Promise.allSettled(tries.map(async (attempt) => await attempt()));
    for (const result of await node.whileAlive(results)) {
      const code = result.status === "rejected" ? codeOf(result.reason) : undefined;
      check([...away, "not_found"].includes(code), "a stranger reaches a run");
    }
  }

  async list(): Promise<void> {
    const { node, runs, pick, check } = this.#within();
    const owner = pick(owners);
    if (node === undefined || owner === undefined) return;
    const listed = await node.whileAlive(node.service.list(owner, { limit: 100 }));
    const own = runs.filter(({ request }) => request.owner === owner).map(({ request }) => request.runId);
    const isOwn = listed.runs.every(({ runId }) => own.includes(runId));
    check(isOwn, "an owner sees the runs of another");
  }

  #within() {
    const { node, runs, random, held } = this.#world;
    const pick = <Value>(values: readonly Value[]): Value | undefined => this.#world.pick(values);
    const check = (isRight: boolean, wrong: string): void => held.check(isRight, wrong);
    return { node, runs, random, pick, check };
  }
}

function answerTo({ kind }: RunWait, number: number, chance: number): Json {
  if (kind === "approval") return { approved: chance < 0.8, reason: `answer ${number}` };
  if (kind === "input") return { result: `answer ${number}` };
  if (chance < 0.3) return { choice: "again" };
  return chance < 0.6 ? { choice: "giveUp" } : { choice: "happened", result: `answer ${number}` };
}

function codeOf(error: unknown): string | undefined {
  return TroupeError.is(error) ? error.code : undefined;
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
