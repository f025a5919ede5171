import { EventBus, runnableAsTool, TroupeError } from "@troupe/core";
import type {
  MessageContent,
  PlainRunOutput,
  Runnable,
  RunnableToolOptions,
  RunOpts,
  RunStream,
  ToolDef,
  ToolEffect,
} from "@troupe/core";
import { cutText, readObjects, readText } from "@troupe/core/kit";
import { checkContent, readRunOpts, Run, RunExecution } from "@troupe/core/transport";
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
 * An agent of another service, called over A2A in the best version that its card offers: 1.0, 0.3 or 0.2. It runs as an
 * agent of our own does: alone, in a team, as a step of a workflow, as a tool, or served.
 */
export class A2ARemoteAgent implements Runnable<PlainRunOutput> {
  readonly #settings: RemoteAgentSettings;
  readonly #parts: RemoteParts;
  readonly #eventBus = new EventBus();

  /** Connects to nothing yet. A wrong option throws `invalid_config`. */
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

  /** The option `name`, else the name in the card once it is known, and before that the host of the URL. */
  get name(): string {
    return this.#settings.name ?? (this.#parts.cards.card?.name || this.#settings.url.host);
  }

  /** The description in the card, once it is known. */
  get description(): string | undefined {
    return cutText(readText(this.#parts.cards.card?.["description"]), longestDescription) || undefined;
  }

  get effect(): ToolEffect {
    return this.#settings.effect;
  }

  get eventBus(): EventBus {
    return this.#eventBus;
  }

  /** Fetches the card of the agent and returns it, with the fields of all versions. Runs do it by themselves. */
  async discover(): Promise<AgentCard> {
    try {
      return toAgentCard(await this.#parts.cards.discover());
    } catch (error) {
      throw toRemoteError(error, this.name);
    }
  }

  /** Returns the card that was fetched last, or undefined before the first one. */
  getAgentCard(): AgentCard | undefined {
    const { card } = this.#parts.cards;
    return card && toAgentCard(card);
  }

  /** Runs to the whole answer. A run that fails rejects with a `RunError`, whose output holds what came until then. */
  async run(input: MessageContent, opts?: RunOpts): Promise<PlainRunOutput> {
    return await this.#execute(input, opts).run();
  }

  /** Makes a run that streams; it starts when it is first read. Wrong options are refused here and now. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<PlainRunOutput> {
    return this.#execute(input, opts) as RunStream<unknown> as RunStream<PlainRunOutput>;
  }

  /**
   * Makes a tool by which a model asks the agent. Its description is that of the card, with the skills: call `discover`
   * before, or give one.
   */
  asTool(options: RunnableToolOptions = {}): ToolDef {
    const description = options.description ?? this.#describe();
    return runnableAsTool(this, { ...options, ...(description !== undefined && { description }) });
  }

  #execute(input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const settings = readRunOpts(opts);
    refuseVainOptions(settings);
    const name = (): string => this.name;
    const run = new Run({
      // The first run finds out the name, and its output has it.
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

/** The longest description of a card that is passed on, as models read it. */
const longestDescription = 4000;

const vainOptions = ["messages", "modelOptions", "model", "instructions", "tools"] as const;

/** Refuses options of a run that cannot reach an agent of another service. */
function refuseVainOptions(settings: RunSettings): void {
  const given = vainOptions.find((name) => settings[name] !== undefined);
  if (given === undefined) return;
  const message = `${given} has no effect on a remote agent, which has its own. Leave it out.`;
  throw new TroupeError("invalid_request", message);
}
