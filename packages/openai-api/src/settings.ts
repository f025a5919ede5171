import {
  booleanOption,
  functionOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
} from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { fileLimitOptions } from "@troupe/core/transport";
import type { OpenWebUiOptions } from "./identity/open-webui.ts";
import type { MayRunModel } from "./models/served-models.ts";

/** Limits of the images, audio and files that requests contain as `data:` URLs. */
export type ApiFileLimits = {
  /** Largest file in bytes. @default 52_428_800 */
  maxFileSize?: number | undefined;
  /** Accepted media types, such as `application/pdf` or `image/*`; case does not matter. @default any */
  allowedMimeTypes?: readonly string[] | undefined;
};

/** Options of Chat Completions. */
export type ChatCompletionOptions = {
  /**
   * The form in which a stream shows calls of the agent's own tools: status lines of Open WebUI, which other clients
   * ignore; `reasoning_content`; or not at all. @default "status"
   */
  tools?: "status" | "reasoning" | "hidden" | undefined;
  /**
   * The automatic answer to tool calls that need an approval, because Chat Completions cannot ask for one. Without this
   * option, an agent with such a tool is rejected as `invalid_config`. @default none
   */
  approvals?: "deny" | "approve" | undefined;
};

/** Options of {@link openaiApi}. */
export type OpenAiApiOptions = {
  /** The path below which the API is served. @default "/v1" */
  basePath?: string | undefined;
  /** Returns true if the caller of a request may list and run a model. @default every caller may run all models */
  mayRun?: MayRunModel | undefined;
  /** Options of Chat Completions; false to leave them out. @default on */
  chat?: ChatCompletionOptions | false | undefined;
  /**
   * Limits of files in requests. If necessary, the service's limit of a body is raised, so that one such file fits.
   * @default the service's limit of the body
   */
  files?: ApiFileLimits | undefined;
  /** Maps the users and chats of Open WebUI to users and sessions of the service. @default off */
  openWebUi?: OpenWebUiOptions | undefined;
};

const chatOptions = {
  tools: optional(oneOf("status", "reasoning", "hidden"), "status"),
  approvals: optional(oneOf("deny", "approve")),
} satisfies OptionTable<ChatCompletionOptions>;

const openWebUiOptions = {
  jwtSecret: optional(nonBlankString()),
  trustUserHeaders: optional(booleanOption),
  tenantId: optional(nonBlankString()),
  chatSessions: optional(booleanOption),
} satisfies OptionTable<OpenWebUiOptions>;

const checkChat = nested(chatOptions);

const apiOptions = {
  basePath: optional(
    customOption<string>('a path such as "/v1"', (path) => typeof path === "string" && /^(?:\/[\w.~-]+)*$/.test(path)),
    "/v1",
  ),
  mayRun: optional(functionOption<MayRunModel>()),
  chat: (value, name, where) => (value === false ? false : checkChat(value ?? {}, name, where)),
  files: optional(nested(fileLimitOptions)),
  openWebUi: optional(nested(openWebUiOptions)),
} satisfies OptionTable<OpenAiApiOptions>;

/** The checked options of the protocol, with defaults. */
export type ApiSettings = ReturnType<typeof readApiOptions>;

/** Checks the options of the protocol. Throws `invalid_config` for a wrong option. */
export function readApiOptions(options: OpenAiApiOptions) {
  return readOptions(apiOptions, options, { owner: "openaiApi" });
}

const defaultBodyBytes = 1_048_576;

/**
 * Returns the maximum size of a body in bytes: the service's limit or, if that is larger, the room for one file as
 * base64 and some text.
 */
export function largestBody({ files }: ApiSettings, maxBodyBytes: number | undefined): number {
  const withFile = files === undefined ? 0 : Math.ceil((files.maxFileSize * 4) / 3);
  return Math.max(maxBodyBytes ?? defaultBodyBytes, withFile + defaultBodyBytes);
}
