import { serviceError } from "@troupe-internal/toolkit";
import { untilAborted } from "@troupe/core/kit";
import type { AuthClient } from "../gmail-options.ts";
import type { TokenCall, TokenSource } from "./file-tokens.ts";
import { serviceName, tokenRevoked } from "./token-endpoint.ts";

/** Access tokens that the user's own client supplies. */
export class ClientTokens implements TokenSource {
  readonly #client: AuthClient;

  constructor(client: AuthClient) {
    this.#client = client;
  }

  async getToken({ signal, refused }: TokenCall): Promise<string> {
    const answer = await untilAborted(async () => await this.#ask(), signal);
    const token = typeof answer === "string" ? answer : answer?.token;
    if (typeof token !== "string" || !/^[!-~]+$/.test(token)) {
      const happened = "needs a token, and getAccessToken of authClient returned none";
      throw serviceError(serviceName, {
        problem: "credential_missing",
        happened,
        advice: "Authorize the client first.",
      });
    }
    if (token !== refused) return token;
    const happened = "refused the access token of authClient, which has no other";
    throw serviceError(serviceName, { problem: "credential_refused", happened, advice: "Authorize the client again." });
  }

  async #ask(): ReturnType<AuthClient["getAccessToken"]> {
    try {
      return await this.#client.getAccessToken();
    } catch (thrown) {
      // No part of the OAuth library's error is passed on, because the error contains the request with its secrets.
      if (thrown instanceof Error && thrown.message.includes("invalid_grant")) throw tokenRevoked();
      const happened = "cannot be asked, because getAccessToken of authClient failed";
      throw serviceError(serviceName, { problem: "credential_missing", happened, advice: "Check the client." });
    }
  }
}
