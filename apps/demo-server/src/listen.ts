import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TroupeError } from "@troupe/core";

/** The address that a server listens on. */
export type Address = { readonly host: string; readonly port: number };

/** Reads HOST and PORT: this machine alone, on port 3000, unless they say otherwise. */
export function readAddress({ HOST: host, PORT: port = "" }: Readonly<Record<string, string | undefined>>): Address {
  if (port === "") return { host: host || "127.0.0.1", port: 3000 };
  if (/^\d+$/.test(port) && Number(port) <= 65_535) return { host: host || "127.0.0.1", port: Number(port) };
  throw new TroupeError("invalid_config", `PORT must be an integer from 0 to 65535, got ${JSON.stringify(port)}.`);
}

/** Starts to listen, and returns the URL of the server. */
export async function listen(server: Server, { host, port }: Address): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `The server cannot listen on port ${port} of ${host}. Set PORT or HOST to another one. (${reason})`;
    throw new TroupeError("unavailable", sentence, { cause: error });
  }
  const { address, port: taken, family } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
}
