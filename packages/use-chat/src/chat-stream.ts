import { nested, oneOf, optional, readOptions } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import type { OnDisconnect } from "@troupe/core/service";
import { fileLimitOptions } from "@troupe/core/transport";
import type { Protocol, Route, Service } from "@troupe/core/transport";
import { chatRoutes } from "./chat-routes.ts";
import { chatPaths } from "./openapi/chat-paths.ts";
import { chatSchemas } from "./openapi/chat-schemas.ts";

/** Limits of the files in messages of a page that are sent as `data:` URLs. */
export type ChatFileLimits = {
  /** Largest file in bytes. The service's `maxBodyBytes` limits all files of a request together. @default 52_428_800 */
  maxFileSize?: number | undefined;
  /** Accepted media types, such as `application/pdf` or `image/*`; case does not matter. @default any */
  allowedMimeTypes?: readonly string[] | undefined;
};

/** Options of {@link chatStream}. */
export type ChatStreamOptions = {
  /**
   * Policy for runs whose page disconnects, as it does when its user presses stop. With `"continue"`, a reloaded page
   * resumes the stream, and `POST /agents/:name/ui/:chatId/stop` stops the run. @default "continue" for durable runs,
   * otherwise the service's `onDisconnect`
   */
  onDisconnect?: OnDisconnect | undefined;
  /** Limits of the files in messages. @default any file that fits into the largest body */
  files?: ChatFileLimits | undefined;
  /**
   * The major version of the AI SDK on the page. Requests of both versions are alike. Answers are too, unless another
   * process takes over a durable run. Version 7 then replaces the text that it has shown; version 6 gets an error and
   * shows the answer once the chat is loaded again. @default 7
   */
  sdk?: 6 | 7 | undefined;
};

const chatOptions = {
  onDisconnect: optional(oneOf("cancel", "continue")),
  files: optional(nested(fileLimitOptions)),
  sdk: optional(oneOf(6, 7)),
} satisfies OptionTable<ChatStreamOptions>;

/**
 * Makes the protocol that serves agents and teams to `useChat` of the AI SDK, at `/agents/:name/ui` and
 * `/teams/:name/ui`: as its UI message stream, version 1. Throws `invalid_config` for a wrong option.
 */
export function chatStream(options: ChatStreamOptions = {}): Protocol {
  const settings = readOptions(chatOptions, options, { owner: "chatStream" });
  return {
    name: "use-chat",
    routes(service: Service, beside: readonly Protocol[]): Route[] {
      return chatRoutes({ service, ...settings, hasRunPaths: beside.some(({ name }) => name === "http") });
    },
    describe: (service: Service) => ({ paths: chatPaths(service), schemas: chatSchemas() }),
  };
}
