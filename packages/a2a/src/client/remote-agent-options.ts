import type { Logger, RunContext, ToolEffect } from "@troupe/core";
import {
  arrayOf,
  integerOption,
  loggerOption,
  networkOptionTable,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
  timeoutOption,
} from "@troupe/core/kit";
import type { CallHeaders, OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";

/** Request headers for a remote agent, by name. */
export type A2AHeaders = Readonly<Record<string, string>>;

/** Options of an `A2ARemoteAgent`: the address of the remote agent, its headers, and limits. */
export type A2ARemoteAgentOptions = {
  /**
   * The base URL of the remote agent, or the address of its card, which ends in `.json`. It must contain no user,
   * password or fragment.
   */
  url: string;
  /**
   * Headers of each request, such as `authorization`. A function is called once per run and once per fetch of the
   * card. It receives the run's context, or undefined outside of runs.
   */
  headers?: A2AHeaders | ((context?: RunContext) => A2AHeaders | Promise<A2AHeaders>) | undefined;
  /**
   * The name of the agent for teams and events. @default the name in the card; until the card is fetched, the host of
   * `url`
   */
  name?: string | undefined;
  /** Milliseconds to wait for one request, and for each pause of a stream. @default 60_000 */
  timeoutMs?: number | undefined;
  /**
   * Origins that the card may name in addition to the origin of `url`. They get the headers and may be private. Other
   * origins must be public, are never streamed from, and are refused while `headers` are set. @default []
   */
  trustedOrigins?: readonly string[] | undefined;
  /**
   * Largest size in bytes of one reply, of one event of a stream, and of the whole answer of a run. @default 10_485_760
   */
  maxReplyBytes?: number | undefined;
  /** The effect of a task, used if a durable run is interrupted during the task: see `Runnable`. @default "once" */
  effect?: ToolEffect | undefined;
  /** Receives the log of the agent's runs. @default the logger of the parent run, if any */
  logger?: Logger | undefined;
};

const urlOption: OptionCheck<URL> = (value, name, where) => new URL(addressOption(value, name, where));

const addressOption = customOption<string>("an http: or https: URL without user, password and fragment", (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && [url.username, url.password, url.hash].every((part) => part === "");
});

const originOption = customOption<string>('an origin, such as "https://agents.example"', (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
});

type HeadersOption = CallHeaders | ((context?: RunContext) => CallHeaders | Promise<CallHeaders>);

const optionTable = {
  url: urlOption,
  headers: optional(networkOptionTable.headers as OptionCheck<HeadersOption>),
  name: optional(nonBlankString(256)),
  timeoutMs: optional(timeoutOption, 60_000),
  trustedOrigins: optional(arrayOf("origins", originOption), []),
  maxReplyBytes: optional(integerOption(1024, 2 ** 30), 10_485_760),
  effect: optional(oneOf("pure", "idempotent", "once"), "once"),
  logger: optional(loggerOption),
} satisfies Record<keyof OptionTable<A2ARemoteAgentOptions>, OptionCheck<unknown>>;

/** The checked options of a remote agent, with defaults. */
export type RemoteAgentSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a remote agent. Throws `invalid_config` for a wrong or unknown option. */
export function readRemoteAgentOptions(options: A2ARemoteAgentOptions): RemoteAgentSettings {
  return readOptions(optionTable, options, { owner: "A2ARemoteAgent" });
}
