import { mayFollow } from "./event-order.ts";
import { Grammar } from "./grammar.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { CallEvent } from "./tool-calls.ts";

type Payload = Readonly<Record<string, unknown>>;

/** An event that a client of the gateway has received. */
export type SocketEvent = { readonly name: string; readonly payload: Payload };

const callEvents: Readonly<Record<string, CallEvent>> = {
  "agent.tool.call": "start",
  "agent.tool.progress": "progress",
  "agent.tool.result": "result",
  "agent.tool.done": "end",
};

const texts = ["agent.chunk", "agent.thinking", "agent.member.chunk", "agent.member.thinking"];
const others = [...texts, "agent.source", "agent.wait", "agent.done", "agent.error"];
const ends = ["agent.done", "agent.error"];

/** The events of one run that a client has received. */
type Followed = { readonly calls: ToolCalls; last: string | undefined; ended: string | undefined };

/**
 * The grammar of the events that a client of the gateway receives. For each of its runs: tool calls that start, have
 * one result and end, increasing ids, and one final `agent.done` or `agent.error`. `send` takes the client's own
 * messages: a client that attaches to a run gets its events again.
 */
export class SocketGrammar extends Grammar<SocketEvent> {
  readonly #runs = new Map<string, Followed>();
  /** The runs that were requested again, and the requests with a key, which may belong to a known run. */
  readonly #restarts = new Map<string, { isTail: boolean }>();
  #keyed = 0;

  constructor() {
    super("events of a socket");
  }

  /** Takes a message of the client. */
  send(name: string, payload: unknown): void {
    const { runId, after, idempotencyKey } = Object(payload) as Payload;
    if (name === "agent.attach") this.#restarts.set(String(runId), { isTail: after !== undefined && after !== null });
    if (idempotencyKey !== undefined) this.#keyed += 1;
  }

  protected override take({ name, payload }: SocketEvent): void {
    const event = callEvents[name];
    this.check(event !== undefined || others.includes(name), "known-event", "the gateway has no such event");
    const { runId, sessionId, id, toolCallId } = payload;
    // A refused request is not an event of a run.
    if (name === "agent.error" && sessionId === undefined) return;
    const isNamed = [runId, sessionId, payload["name"]].every((value) => typeof value === "string");
    this.check(isNamed, "has-ids", "it does not name its run, its session and its agent");
    const run = this.#runOf(String(runId), id as string | undefined);
    if (event !== undefined) run.calls.take(event, String(toolCallId));
    if (name === "agent.done") run.calls.close();
    if (ends.includes(name)) run.ended = name;
  }

  #runOf(runId: string, id: string | undefined): Followed {
    const known = this.#runs.get(runId) ?? this.#begin(runId);
    const run = this.#isNext(known, id) || !this.#mayRestart(runId) ? known : this.#begin(runId);
    this.check(run.ended === undefined, "after-end", `an event of the run comes after its ${run.ended}`);
    // A failure of following has no id, because it is not an event of the run.
    if (id === undefined) return run;
    this.check(run.last === undefined || mayFollow(id, run.last), "id-order", `its id does not follow ${run.last}`);
    run.last = id;
    return run;
  }

  #isNext({ ended, last }: Followed, id: string | undefined): boolean {
    return ended === undefined && (id === undefined || last === undefined || mayFollow(id, last));
  }

  #mayRestart(runId: string): boolean {
    if (this.#restarts.has(runId)) return true;
    if (this.#keyed === 0) return false;
    this.#keyed -= 1;
    return true;
  }

  #begin(runId: string): Followed {
    const { isTail = false } = this.#restarts.get(runId) ?? {};
    this.#restarts.delete(runId);
    const check = (claim: boolean, rule: string, problem: string): void => this.check(claim, rule, problem);
    const run: Followed = { calls: new ToolCalls(check, isTail), last: undefined, ended: undefined };
    this.#runs.set(runId, run);
    return run;
  }
}
