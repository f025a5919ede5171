import { TroupeError } from "@troupe/core";
import {
  functionOption,
  integerOption,
  nonBlankString,
  optional,
  readOptions,
  customOption,
  stringOption,
} from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import type { ServiceOptions } from "@troupe/core/service";
import type { McpExtend } from "./extension.ts";

/** Options of {@link mcp}. */
export type McpOptions = {
  /** The path at which the protocol is served. @default "/mcp" */
  path?: string | undefined;
  /** The name of the server, which MCP hosts show to their users. @default "troupe" */
  name?: string | undefined;
  /** The version of the server. @default "1.0.0" */
  version?: string | undefined;
  /** Instructions for the clients' models on using the tools. @default none */
  instructions?: string | undefined;
  /**
   * Adds tools, prompts, resources and handlers of your own to each new server of the official library.
   * @default none
   */
  extend?: McpExtend | undefined;
  /**
   * With `extend`: largest number of users' HTTP sessions at once. Clients of revisions before 2026-07-28 need a
   * session for tools that ask them. Each user may have a tenth of the sessions, or 20 if that is more. Beyond a limit,
   * a session ends, preferably a session that was not used for long; unused sessions end after half an hour. Callers
   * without a user have a separate limit: the full number while no users call, otherwise a tenth of it. `0` keeps no
   * sessions. @default 1_000
   */
  maxSessions?: number | undefined;
  /**
   * With `extend`: the secret that signs the states of `sealState`, at least 32 characters. Processes that serve the
   * same clients must share it. @default a random secret of this process
   */
  stateKey?: string | undefined;
  /**
   * Largest size of the images, audio and files of a run's tools in one result, in bytes of base64. Larger content is
   * omitted, and a line in the text says so; `0` sends none. @default 1_048_576
   */
  maxMediaBytes?: number | undefined;
};

/**
 * Options of {@link createMcpServer}: the options of a service, and the options of MCP except `path`, because the host
 * mounts the handler.
 */
export type McpServerOptions = ServiceOptions & Omit<McpOptions, "path">;

const longSecret = customOption<string>(
  "a string of at least 32 characters",
  (value) => typeof value === "string" && value.length >= 32,
);

const pathOption = customOption<string>('a path such as "/mcp", without a slash at its end', (value) => {
  return typeof value === "string" && /^(?:\/[^/?#:*]+)+$/.test(value);
});

const optionTable = {
  path: optional(pathOption, "/mcp"),
  name: optional(nonBlankString(), "troupe"),
  version: optional(nonBlankString(), "1.0.0"),
  instructions: optional(stringOption),
  extend: optional(functionOption<McpExtend>()),
  maxSessions: optional(integerOption(0)),
  stateKey: optional(longSecret),
  maxMediaBytes: optional(integerOption(0), 1_048_576),
} satisfies OptionTable<McpOptions>;

/** The names of the options that the short form accepts besides the options of a service. */
export const mcpOptionNames = Object.keys(optionTable).filter((name) => name !== "path") as readonly Exclude<
  keyof McpOptions,
  "path"
>[];

/** The checked options of MCP, with defaults. */
export type ProtocolSettings = {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly extend?: McpExtend;
  readonly maxSessions: number;
  readonly stateKey?: string;
  readonly maxMediaBytes: number;
};

/** Options that only have an effect together with `extend`. */
const extensionOptions = ["maxSessions", "stateKey"] as const;

/**
 * Checks the options of MCP and fills in their defaults. Throws `invalid_config` for a wrong or unknown option, and for
 * an option without effect. `owner` is the function that received the options, for errors.
 */
export function readProtocolOptions(options: McpOptions, owner: string): ProtocolSettings {
  const read = readOptions(optionTable, options, { owner });
  const { extend, maxSessions = 1000 } = read;
  for (const name of extensionOptions) {
    if (extend !== undefined || read[name] === undefined) continue;
    const message = `${name} has no effect without extend: only what extend adds needs it. Set extend, or leave ${name} out.`;
    throw new TroupeError("invalid_config", message);
  }
  return { ...read, maxSessions };
}
