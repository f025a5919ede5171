import { EventBus, runnableAsTool, TroupeError } from "@troupe/core";
import type {
  MessageContent,
  UnstructuredRunOutput,
  Runnable,
  RunnableToolOptions,
  RunOpts,
  RunStream,
  ToolDef,
  ToolEffect,
} from "@troupe/core";
import { cutText, readObjects, readText } from "@troupe/core/kit";
import { checkContent, resolveRunOpts, Run, RunExecution } from "@troupe/core/transport";
import type { RunSettings } from "@troupe/core/transport";
import type { AgentCard } from "../card/agent-card.ts";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import type { A2ARemoteAgentOptions, RemoteAgentSettings } from "./remote-agent-options.ts";
import { RemoteCards } from "./remote-cards.ts";
import { RemoteContexts } from "./remote-contexts.ts";
import { toRemoteError } from "./remote-failure.ts";
import { RemoteHttp } from "./remote-http.ts";
import { RemoteRun } from "./remote-run.ts";
import type { RemoteParts } from "./remote-run.ts";
import { toAgentCard } from "./to-agent-card.ts";

/**
 * An agent of another service, called over A2A in the newest version that its card offers: 1.0, 0.3 or 0.2. It runs
 * like a local agent: alone, in a team, as a workflow step, as a tool, or served.
 */
export class A2ARemoteAgent implements Runnable<UnstructuredRunOutput> {
  readonly #settings: RemoteAgentSettings;
  readonly #parts: RemoteParts;
  readonly #eventBus = new EventBus();

  /** Does not open a connection yet. Throws `invalid_config` for a wrong option. */
  constructor(options: A2ARemoteAgentOptions) {
    const settings = readRemoteAgentOptions(options);
    const http = new RemoteHttp(settings);
    this.#settings = settings;
    this.#parts = {
      http,
      cards: new RemoteCards(settings, http),
      contexts: new RemoteContexts(settings.url),
      maxBytes: settings.maxReplyBytes,
      name: () => this.name,
    };
  }

  get kind(): "remote" {
    return "remote";
  }

  /** The option `name`. Without it, the name in the card or, until the card is fetched, the host of the URL. */
  get name(): string {
    return this.#settings.name ?? this.#parts.cards.card?.name ?? this.#settings.url.host;
  }

  /**
   * The description in the agent's card, shortened if it is long. Undefined until the card is fetched, and if the card
   * has no description.
   */
  get description(): string | undefined {
    return cutText(readText(this.#parts.cards.card?.["description"]), longestDescription) || undefined;
  }

  get effect(): ToolEffect {
    return this.#settings.effect;
  }

  get eventBus(): EventBus {
    return this.#eventBus;
  }

  /** Fetches and returns the agent's card, with the fields of all versions. Runs fetch the card themselves. */
  async discover(): Promise<AgentCard> {
    try {
      return toAgentCard(await this.#parts.cards.discover());
    } catch (error) {
      throw toRemoteError(error, this.name);
    }
  }

  /** Returns the card that was fetched last, or undefined before the first fetch. */
  getAgentCard(): AgentCard | undefined {
    const { card } = this.#parts.cards;
    return card && toAgentCard(card);
  }

  /**
   * Runs the agent and returns the whole answer. A failed run rejects with a `RunError`, whose output holds the partial
   * answer.
   */
  async run(input: MessageContent, opts?: RunOpts): Promise<UnstructuredRunOutput> {
    return await this.#execute(input, opts).run();
  }

  /** Creates a streamed run, which starts when it is first read. Throws at once for wrong options. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<UnstructuredRunOutput> {
    return this.#execute(input, opts) as RunStream<unknown> as RunStream<UnstructuredRunOutput>;
  }

  /**
   * Makes a tool with which a model asks the agent. The card's description and skills become the tool's description:
   * call `discover` first, or pass a description.
   */
  asTool(options: RunnableToolOptions = {}): ToolDef {
    const description = options.description ?? this.#describe();
    return runnableAsTool(this, { ...options, ...(description !== undefined && { description }) });
  }

  #execute(input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const settings = resolveRunOpts(opts);
    refuseVainOptions(settings);
    const name = (): string => this.name;
    const run = new Run({
      // A getter: the first run fetches the card, and its output must have the name in that card.
      get name() {
        return name();
      },
      input: checkContent(input),
      settings,
      eventBus: this.#eventBus,
      logger: this.#settings.logger?.child(this.name),
    });
    return new RunExecution(run, new RemoteRun(this.#parts, run));
  }

  #describe(): string | undefined {
    const skills = readObjects(this.#parts.cards.card?.["skills"]).flatMap(({ name, description }) => {
      const line = [readText(name), readText(description)].filter((text) => text !== "").join(": ");
      return line === "" ? [] : `- ${line}`;
    });
    const { description } = this;
    if (skills.length === 0) return description;
    return cutText([description, "Skills:", ...skills].filter(Boolean).join("\n"), longestDescription);
  }
}

/** Longest description in a remote agent's card that is passed on to models, in characters. */
const longestDescription = 4000;

const vainOptions = ["messages", "modelOptions", "model", "instructions", "tools"] as const;

/** Rejects run options that have no effect on an agent of another service. */
function refuseVainOptions(settings: RunSettings): void {
  const given = vainOptions.find((name) => settings[name] !== undefined);
  if (given === undefined) return;
  const message = `${given} has no effect on a remote agent, which has its own. Leave it out.`;
  throw new TroupeError("invalid_request", message);
}
