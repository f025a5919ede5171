import { TroupeError } from "@troupe/core";
import { closeInOrder, closeTogether } from "@troupe/core/kit";
import type { Protocol, Route, Service } from "@troupe/core/transport";
import { createNotify } from "./extension.ts";
import type { McpNotify, NotifyTargets } from "./extension.ts";
import { HttpSide } from "./http-side.ts";
import { readProtocolOptions } from "./mcp-server-options.ts";
import type { McpOptions, ProtocolSettings } from "./mcp-server-options.ts";
import { RunningCalls } from "./running-calls.ts";
import { openStdio } from "./serve-stdio.ts";
import type { StdioConnection } from "./serve-stdio.ts";
import { readServedTools } from "./served-tools.ts";
import type { ServerParts } from "./tasks/server-parts.ts";
import { TaskRuns } from "./tasks/task-runs.ts";

/** The protocol MCP, made by {@link mcp}: over HTTP beside other protocols, and over stdio. */
export type McpProtocol = Protocol & {
  /**
   * Notifies clients of changes in the registrations of the option `extend`. Throws `invalid_config` without that
   * option.
   */
  readonly notify: McpNotify;
  /**
   * Serves a service to the program that started this process, over the standard streams. Resolves when the client has
   * disconnected. Until then, other writes to standard output go to standard error. Rejects with `conflict` when called
   * again, and with the error of the service's `authenticate`.
   */
  serveStdio(service: Service): Promise<void>;
};

/** The function that made a protocol, for errors, and the paths at which the protocol is served. */
type Spoken = { readonly owner: string; readonly paths: readonly string[] };

/**
 * Makes the protocol in which agents, teams and workflows are tools of MCP clients: `ask_<name>` and `run_<name>`.
 * Throws `invalid_config` for a wrong option.
 */
export function mcp(options: McpOptions = {}): McpProtocol {
  const settings = readProtocolOptions(options, "mcp");
  return makeProtocol(settings, { owner: "mcp", paths: [settings.path] });
}

/** Makes the MCP protocol from checked options, for `mcp` and `createMcpServer`. */
export function makeProtocol(settings: ProtocolSettings, { owner, paths }: Spoken): McpProtocol {
  const spoken = new Map<Service, SpokenService>();
  const speak = (service: Service): SpokenService => {
    const known = spoken.get(service);
    if (known !== undefined) return known;
    const made = new SpokenService(service, settings, owner);
    spoken.set(service, made);
    void service.closed.then(() => spoken.delete(service));
    return made;
  };
  let isServingStdio = false;
  return {
    name: "mcp",
    routes(service): Route[] {
      const { http } = speak(service);
      return paths.map((path) => ({
        path,
        all: async (exchange) => await http.serve(exchange),
        fail: (thrown, exchange) => http.fail(thrown, exchange),
      }));
    },
    notify: createNotify(settings.extend !== undefined, () => Array.from(spoken.values(), ({ targets }) => targets)),
    async serveStdio(service) {
      if (isServingStdio) throw new TroupeError("conflict", "serveStdio was called already. Call it once.");
      isServingStdio = true;
      await speak(service).serveStdio();
    },
  };
}

/** The tools, calls, sessions and connections of the protocol for one service. */
class SpokenService {
  readonly http: HttpSide;
  readonly #service: Service;
  readonly #calls = new RunningCalls();
  readonly #load: () => Promise<ServerParts>;
  #stdio: StdioConnection | undefined;

  /**
   * Throws `invalid_config` if two entries of the service would become the same tool, or if the service has no
   * entries and `extend` is not given.
   */
  constructor(service: Service, settings: ProtocolSettings, owner: string) {
    const calls = this.#calls;
    const tools = readServedTools(service, { owner, mayBeEmpty: settings.extend !== undefined });
    const tasks = new TaskRuns(service, tools.values());
    let parts: Promise<ServerParts> | undefined;
    const load = async (): Promise<ServerParts> => {
      const library = await import("@modelcontextprotocol/server");
      return { library, service, settings, tools, calls, tasks, callers: new WeakMap(), notedCalls: new WeakMap() };
    };
    this.#service = service;
    this.#load = async () => await (parts ??= load());
    this.http = new HttpSide(service, settings, this.#load);
    service.servedRuns.afterRuns(async () => await this.#end());
  }

  /** The MCP servers and subscriptions of clients that are notified of changes of the tools. */
  get targets(): NotifyTargets {
    const { kept, subscriptions } = this.http.targets;
    return { kept: [...kept, ...(this.#stdio?.servers ?? [])], subscriptions };
  }

  async serveStdio(): Promise<void> {
    const stdio = openStdio(this.#load);
    this.#stdio = stdio;
    try {
      await this.#service.open();
    } catch (error) {
      await stdio.close();
      throw error;
    }
    await stdio.ended;
  }

  /** Ends sessions and connections after the runs, once the results of the last calls are sent. */
  async #end(): Promise<void> {
    // The last result over stdio is written only after its tool call is over.
    const writeLast = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
    const close = async (): Promise<void> =>
      await closeTogether(
        () => this.http.close(),
        () => this.#stdio?.close(),
      );
    await closeInOrder(() => this.#calls.untilIdle(), writeLast, close);
  }
}
