import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Service } from "@troupe-internal/toolkit";
import { TroupeError } from "@troupe/core";
import { authorize } from "./authorize.ts";
import { readCredentials } from "./credentials-file.ts";
import { saveTokenFile, withToken } from "./token-file.ts";

/** Names of the tools of `GmailToolkit`. */
const toolNames = ["gmail_send", "gmail_search", "gmail_read"] as const;

type GmailToolName = (typeof toolNames)[number];

const scopeOfTool: Readonly<Record<GmailToolName, string>> = {
  gmail_send: "https://www.googleapis.com/auth/gmail.send",
  gmail_search: "https://www.googleapis.com/auth/gmail.readonly",
  gmail_read: "https://www.googleapis.com/auth/gmail.readonly",
};

const usage = `Makes the token file of GmailToolkit: asks for permission in the browser.

Usage: troupe-gmail-token --credentials credentials.json --token token.json [--tools gmail_send,gmail_read]

  --credentials  JSON file of an OAuth client for a desktop app, from the Google Cloud console
  --token        the file to write, readable by you alone
  --tools        tools to ask permission for: ${toolNames.join(", ")} (default: all)
`;

/** Input and output of the token command. */
export type CommandHost = { readonly write: (text: string) => void; readonly signal?: AbortSignal | undefined };

/** Runs the command that makes a token file, and returns its exit code. It prints instructions, and never a token. */
export async function runTokenCommand(args: readonly string[], { write, signal }: CommandHost): Promise<number> {
  try {
    const options = readArguments(args);
    if (options === undefined) {
      write(usage);
      return 0;
    }
    await makeTokenFile(options, { write, signal });
    return 0;
  } catch (error) {
    write(
      `${TroupeError.is(error) ? error.message : "The token file cannot be written. Check the path and its rights."}\n`,
    );
    return 1;
  }
}

type CommandOptions = { credentials: string; token: string; tools: readonly GmailToolName[] };

async function makeTokenFile({ credentials, token, tools }: CommandOptions, { write, signal }: CommandHost) {
  const client = await readCredentials(credentials);
  // The folder is checked before the user grants a permission that could not be saved.
  await access(dirname(resolve(token)), constants.W_OK);
  const scopes = scopesOf(tools);
  const server = new Service({ name: "The authorization server", timeoutMs: 30_000, network: {} });
  const showUrl = (url: string) => write(`Open this address in a browser on this machine:\n\n${url}\n\n`);
  const issued = await authorize({ client, scopes, server, showUrl, signal });
  const missing = issued.scope === undefined ? [] : scopes.filter((scope) => !issued.scope?.split(" ").includes(scope));
  if (missing.length > 0) {
    throw new TroupeError(
      "forbidden",
      `Not all permissions were given. Missing: ${missing.join(", ")}. Run the command again and tick all boxes.`,
    );
  }
  if (issued.refreshToken === undefined) {
    throw new TroupeError(
      "unauthorized",
      "Google gave no refresh token. Remove the app at myaccount.google.com/permissions, and run the command again.",
    );
  }
  const { clientId, clientSecret } = client;
  const owner = {
    type: "authorized_user",
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    token_uri: client.tokenUrl,
  };
  await saveTokenFile(token, withToken(owner, issued));
  write(`The token file is written. Permissions: ${scopes.join(", ")}.\n`);
}

function readArguments(args: readonly string[]): CommandOptions | undefined {
  const { values } = parse(args);
  if (values.help === true) return undefined;
  const { credentials, token, tools = toolNames.join(",") } = values;
  if (credentials === undefined || token === undefined) throw wrongArguments();
  const names = tools.split(",").map((name) => toolNames.find((known) => known === name.trim()));
  if (names.includes(undefined)) throw wrongArguments();
  return { credentials, token, tools: names.filter((name) => name !== undefined) };
}

function parse(args: readonly string[]) {
  try {
    const text = { type: "string" } as const;
    const options = { credentials: text, token: text, tools: text, help: { type: "boolean", short: "h" } } as const;
    return parseArgs({ args: [...args], options });
  } catch {
    throw wrongArguments();
  }
}

function wrongArguments(): TroupeError {
  return new TroupeError("invalid_request", `The arguments are wrong or incomplete.\n\n${usage}`);
}

/** Returns the smallest set of permissions that these tools need. */
function scopesOf(tools: readonly GmailToolName[]): string[] {
  return [...new Set(tools.map((tool) => scopeOfTool[tool]))];
}
