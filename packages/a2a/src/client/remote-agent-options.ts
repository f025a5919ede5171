import type { Logger, RunContext, ToolEffect } from "@troupe/core";
import {
  arrayOf,
  integer,
  loggerOption,
  networkOptions,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import type { CallHeaders, OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";

/** Headers of the requests to a remote agent, by name. */
export type A2AHeaders = Readonly<Record<string, string>>;

/** Options of an `A2ARemoteAgent`: the address of the remote agent, headers for it, and limits. */
export type A2ARemoteAgentOptions = {
  /** The base URL of the remote agent, or the address of its card, which ends in `.json`. Without user and password. */
  url: string;
  /**
   * Headers of each request, such as `authorization`. A function is called for each run, with its context, and without one
   * for a card that is fetched outside of runs.
   */
  headers?: A2AHeaders | ((context?: RunContext) => A2AHeaders | Promise<A2AHeaders>) | undefined;
  /** The name by which teams and events know the agent. @default the name in the card, once it is known; before, the host of `url` */
  name?: string | undefined;
  /** Milliseconds for one request, and for each silence of a stream. @default 60_000 */
  timeoutMs?: number | undefined;
  /**
   * Origins beside that of `url` that the card may name: they get the headers, and may be private. Others get no headers, must
   * be public, and are not streamed from. @default []
   */
  trustedOrigins?: readonly string[] | undefined;
  /** The largest reply, event and answer in bytes. @default 10_485_760 */
  maxReplyBytes?: number | undefined;
  /** The effect of a task, for a durable run in which one was cut off: see `Runnable`. @default "once" */
  effect?: ToolEffect | undefined;
  /** Receives the log of its runs. @default that of the parent run, if there is one */
  logger?: Logger | undefined;
};

const urlOption: OptionCheck<URL> = (value, name, where) => new URL(addressOption(value, name, where));

const addressOption = satisfying<string>("an http: or https: URL without user, password and fragment", (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && [url.username, url.password, url.hash].every((part) => part === "");
});

const originOption = satisfying<string>('an origin, such as "https://agents.example"', (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
});

type HeadersOption = CallHeaders | ((context?: RunContext) => CallHeaders | Promise<CallHeaders>);

const optionTable = {
  url: urlOption,
  headers: optional(networkOptions.headers as OptionCheck<HeadersOption>),
  name: optional(nonBlankString(256)),
  timeoutMs: optional(timeoutMilliseconds, 60_000),
  trustedOrigins: optional(arrayOf("origins", originOption), []),
  maxReplyBytes: optional(integer(1024, 2 ** 30), 10_485_760),
  effect: optional(oneOf("pure", "idempotent", "once"), "once"),
  logger: optional(loggerOption),
} satisfies Record<keyof OptionTable<A2ARemoteAgentOptions>, OptionCheck<unknown>>;

/** Checked options of a remote agent, with their defaults. */
export type RemoteAgentSettings = OptionsOf<typeof optionTable>;

/** Checks the options of a remote agent. A wrong or unknown one throws `invalid_config`. */
export function readRemoteAgentOptions(options: A2ARemoteAgentOptions): RemoteAgentSettings {
  return readOptions(optionTable, options, { owner: "A2ARemoteAgent" });
}
