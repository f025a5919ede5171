import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { answerDoubt, DurableClient } from "../durable-client.ts";
import type { Question, Surroundings } from "../durable-client.ts";
import type { EventData } from "../read-events.ts";
import type { EffectsFile } from "./effects-file.ts";
import { canaries } from "./node-setup.ts";
import { answerWords, questionText } from "./questions.ts";
import type { ReadQuestion, RunScene } from "./questions.ts";

/** The service that the clients of a load talk to. */
export type LoadPlace = {
  /** Returns the address of a node: another one each time. */
  url: () => string;
  effects: EffectsFile;
  random: () => number;
  /** Number of clients at a time. */
  atOnce: number;
  /** The kinds of runs, in turn. */
  scenes: readonly RunScene[];
};

/** A client and its run. */
type LoadClient = { client: DurableClient; question: ReadQuestion };

/** A session, and the number of its runs that are still to begin and that are under way. */
type Lane = { sessionId: string; left: number; active: number; agent: string };

const runsPerSession = 4;

/** Clients without a pause: one begins when another one has seen the end of its run. */
export class NodesLoad {
  readonly clients: LoadClient[] = [];
  readonly faults: string[] = [];
  readonly counts: Surroundings["counts"] = { reconnects: 0, resets: 0, doubts: 0, interrupted: 0 };
  readonly #place: LoadPlace;
  readonly #following = new Set<Promise<void>>();
  readonly #giveUp = new AbortController();
  readonly #around: Surroundings;
  readonly #lanes: Lane[] = ["talk", "talk", "act"].map((agent) => ({ ...newLane(), agent }));
  #isOver = false;

  constructor(place: LoadPlace) {
    this.#place = place;
    const { url, effects, random } = place;
    this.#around = {
      get url() {
        return url();
      },
      headers: { "x-openai-api-key": canaries.key },
      random,
      counts: this.counts,
      answerTo: (wait) => answerTo(wait, effects),
      mayRefuse: (status, code) => status === 503 && (code === "storage_unavailable" || code === "unavailable"),
      signal: this.#giveUp.signal,
    };
    this.#fill();
  }

  /** Number of clients in the midst of a text. */
  get reading(): number {
    return this.clients.filter(({ client }) => client.isReading).length;
  }

  /** The question of each run that a client knows. */
  get questions(): Map<string, ReadQuestion> {
    const known = this.clients.filter(({ client }) => client.runId !== "");
    return new Map(known.map(({ client, question }) => [client.runId, question]));
  }

  /** Waits until some clients are in the midst of a text, or a while at most. */
  async untilReading(least: number): Promise<void> {
    for (const until = performance.now() + 10_000; this.reading < least && performance.now() < until;) await sleep(5);
  }

  /** Lets no more clients begin, and waits for those that are there; after `patienceMs` they give up. */
  async end(patienceMs: number): Promise<void> {
    this.#isOver = true;
    const timer = setTimeout(() => this.#giveUp.abort(), patienceMs);
    await Promise.all(this.#following);
    clearTimeout(timer);
    for (const { client, question } of this.clients) {
      const name = `The client of the run ${client.runId} (${question.scene} ${question.number})`;
      this.faults.push(...client.faults.map((fault) => `${name} ${fault}.`));
    }
  }

  #fill(): void {
    while (!this.#isOver && this.#following.size < this.#place.atOnce) this.#begin();
  }

  #begin(): void {
    const number = this.clients.length;
    const { scenes, random } = this.#place;
    const scene = scenes[number % scenes.length] ?? "talk";
    const agent = agentOf(scene);
    const isTeam = scene === "remote";
    const lane = number % 3 === 0 && scene !== "cancel" && !isTeam ? this.#enter(agent) : undefined;
    const question: Question = {
      agent,
      isTeam,
      input: questionText({ scene, number }),
      answer: answerWords({ scene, number }).join(""),
      // Without a key a lost answer leaves a run behind that no client knows: it must wait for nothing.
      hasKey: scene !== "talk" || number % 2 === 0,
      ...(lane && { sessionId: lane.sessionId }),
      ...(scene === "cancel" && { cancelAfter: 1 + Math.floor(random() * 30) }),
    };
    const client = new DurableClient(question, number % 4 < 2, this.#around);
    this.clients.push({ client, question: { scene, number } });
    const following = this.#follow(client, lane);
    this.#following.add(following);
    void following.finally(() => {
      this.#following.delete(following);
      this.#fill();
    });
  }

  /** Follows a run to its end. Never rejects. */
  async #follow(client: DurableClient, lane: Lane | undefined): Promise<void> {
    try {
      await client.follow();
    } catch (error) {
      this.faults.push(`The client of the run ${client.runId} failed: ${String(error)}`);
    }
    if (lane !== undefined) lane.active -= 1;
  }

  /** Finds a session that takes another run: two at a time, or one where a run may wait for an answer. */
  #enter(agent: string): Lane | undefined {
    const lane = this.#lanes.find((each) => each.agent === agent && each.active < (agent === "talk" ? 2 : 1));
    if (lane === undefined) return undefined;
    if (lane.left === 0 && lane.active > 0) return undefined;
    if (lane.left === 0) Object.assign(lane, newLane());
    lane.left -= 1;
    lane.active += 1;
    return lane;
  }
}

/** Returns the name of the agent or team that a question of a scene is for. */
function agentOf(scene: RunScene): string {
  if (scene === "remote") return "lead";
  return scene === "talk" || scene === "cancel" ? "talk" : "act";
}

function newLane(): Omit<Lane, "agent"> {
  return { sessionId: randomUUID(), left: runsPerSession, active: 0 };
}

function answerTo(wait: EventData, effects: EffectsFile): object | undefined {
  if (wait.kind === "approval") return { approved: true };
  if (wait.kind === "input") return { result: "at home" };
  return answerDoubt(wait, (key) => effects.has(key));
}
