import { enabledTools, Service } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import type { ToolDef, ToolSource } from "@troupe/core";
import { createReadTool } from "./gmail-read.ts";
import { createSearchTool } from "./gmail-search.ts";
import { createSendTool } from "./gmail-send.ts";
import { GmailApi } from "./gmail-api.ts";
import type { GmailOptions } from "./gmail-options.ts";
import { ClientTokens } from "./oauth/client-tokens.ts";
import { FileTokens } from "./oauth/file-tokens.ts";
import type { TokenSource } from "./oauth/file-tokens.ts";
import { readGmailOptions } from "./read-options.ts";
import type { GmailSettings } from "./read-options.ts";

/**
 * Tools for one Gmail mailbox: `gmail_send`, `gmail_search` and `gmail_read`. Give the toolkit to an agent among its
 * tools, or the array that `getTools` returns. Token files are read when a tool is called, not before.
 */
export class GmailToolkit implements ToolSource {
  readonly #tools: readonly ToolDef[];

  /**
   * Throws `invalid_config` for a wrong or unknown option, without a source of tokens, and if every tool is disabled.
   */
  constructor(options: GmailOptions = {}) {
    const settings = readGmailOptions(options);
    const { baseURL, timeoutMs, enableSend, enableSearch, enableRead } = settings;
    const api = new GmailApi({ baseURL, timeoutMs, network: settings, tokens: createTokens(settings) });
    const shared = { api, timeoutMs };
    this.#tools = enabledTools("GmailToolkit", [
      { option: "enableSend", isEnabled: enableSend, make: () => createSendTool({ ...settings, ...shared }) },
      { option: "enableSearch", isEnabled: enableSearch, make: () => createSearchTool({ ...settings, ...shared }) },
      { option: "enableRead", isEnabled: enableRead, make: () => createReadTool({ ...settings, ...shared }) },
    ]);
  }

  /** Returns the enabled tools. */
  getTools(): ToolDef[] {
    return [...this.#tools];
  }
}

function createTokens(settings: GmailSettings): TokenSource {
  const { authClient, tokenPath, credentialsPath, timeoutMs } = settings;
  if (authClient !== undefined) return new ClientTokens(authClient);
  if (tokenPath === undefined) {
    throw new TroupeError(
      "invalid_config",
      "GmailToolkit needs tokenPath, the file that the token command makes, or authClient, an object with getAccessToken.",
    );
  }
  const server = new Service({ name: "The authorization server", timeoutMs, network: settings });
  return new FileTokens({ tokenPath, credentialsPath, server });
}
