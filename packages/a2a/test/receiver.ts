import { createPublicKey, hash, verify } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { onTestFinished } from "vitest";
import type { Received } from "./serve-a2a.ts";

/** A notification as its receiver gets it. */
export type Notified = { headers: IncomingHttpHeaders; text: string; body: Received; path: string };

/** The answer of a receiver: a status, or `false` for a connection that breaks off. */
type Answer = number | false | { status: number; headers: Record<string, string> };

/** A receiver of push notifications on this machine. */
export type Receiver = {
  readonly url: string;
  /** Its address for the option `allowPrivateHosts`. */
  readonly host: string;
  /** All requests, also those that it has refused. */
  readonly notified: Notified[];
  /** Waits until there are so many requests, and returns them. */
  until(count: number): Promise<Notified[]>;
  close(): Promise<void>;
};

/** Starts a receiver, which is closed after the test. `answer` gets the number of the request, from 0 on. */
export async function receive(
  answer: (index: number, notified: Notified) => Answer | Promise<Answer> = () => 204,
): Promise<Receiver> {
  const notified: Notified[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const body = JSON.parse(text) as Received;
    const got = { headers: request.headers, text, body, path: request.url ?? "" };
    const given = await answer(notified.push(got) - 1, got);
    const { status, headers } = typeof given === "object" ? given : { status: given, headers: {} };
    if (status === false) response.destroy();
    else response.writeHead(status, headers).end();
  };
  // A sender that leaves in the middle of its request is none of the test's business.
  const server = createServer((request, response) => void take(request, response).catch(() => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/hook`,
    host,
    notified,
    close,
    async until(count) {
      while (notified.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
      return notified;
    },
  };
}

/** Checks the signature of a notification as its receiver does. Returns the claims; throws for what is not signed. */
export async function verifyNotification(
  { headers, text }: Notified,
  keysUrl: string,
): Promise<Record<string, unknown>> {
  const token = String(headers["x-a2a-notification-signature"]);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { kid, alg } = decode(head);
  const { keys } = (await (await fetch(keysUrl)).json()) as { keys: (JsonWebKey & { kid: string; alg: string })[] };
  const jwk = keys.find((each) => each.kid === kid && each.alg === alg);
  if (jwk === undefined) throw new Error("The key is unknown.");
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  const bytes = Buffer.from(signature, "base64url");
  const algorithm = alg === "EdDSA" ? null : "sha256";
  if (!verify(algorithm, signed, { key, dsaEncoding: "ieee-p1363" }, bytes)) throw new Error("The signature is wrong.");
  const facts = decode(claims);
  if (facts["request_body_sha256"] !== hash("sha256", text, "hex")) throw new Error("The body is another one.");
  return facts;
}

/** Returns the head and the claims of the token of a notification, unchecked. */
export function tokenOf({ headers }: Notified): Record<string, unknown> {
  const [head = "", claims = ""] = String(headers["x-a2a-notification-signature"]).split(".");
  return { ...decode(head), ...decode(claims) };
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
}

/** A name server that is away, so that no test asks a real one, nor connects to what that answers. */
export const noLookup: LookupFunction = (_hostname, _options, callback) => callback(new Error("EAI_AGAIN"), "");
