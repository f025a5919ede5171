import { readFileSync, writeFileSync } from "node:fs";
import { FakeService } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { recorded, startFolder, startGmail } from "./gmail.ts";

/** Arguments of a call that reads a mail. */
export const read = { id: "18c1a2b3c4d5e6f1" };
/** A time that is over. */
export const past = Date.now() - 1000;
/** A time to come. */
export const future = Date.now() + 3_600_000;

/** Fields of a token file. */
export type Fields = Record<string, unknown>;

/** Starts Gmail and an authorization server, with a token file of these fields and the credentials of an OAuth client. */
export async function startOAuth({
  token,
  kind = "installed",
  options = {},
}: {
  token: unknown;
  kind?: string;
  options?: object;
}) {
  const server = (await FakeService.start()).answer(() => recorded("token"));
  onTestFinished(() => server.close());
  const { folder, write } = startFolder();
  const client = { client_id: "id-1", client_secret: "GOCSPX-secret", token_uri: `${server.url}/token` };
  const credentialsPath = write("credentials.json", { [kind]: client });
  const tokenPath = write("token.json", token);
  const gmail = await startGmail({ tokenPath, credentialsPath, ...options });
  const saved = () => JSON.parse(readFileSync(tokenPath, "utf8")) as Fields;
  return { ...gmail, server, folder, tokenPath, credentialsPath, client, saved };
}

/** A token file whose access token has expired. */
export const expired = {
  access_token: "ya29.old",
  refresh_token: "1//refresh",
  expiry_date: past,
  scope: "s",
  token_type: "Bearer",
};

/** As `startOAuth`, with a toolkit that is given no credentials, and a function that writes the token file. */
export async function startWithoutCredentials() {
  const started = await startOAuth({ token: {}, options: { credentialsPath: undefined } });
  const write = (fields: Fields) => writeFileSync(started.tokenPath, JSON.stringify(fields));
  return { ...started, write };
}
