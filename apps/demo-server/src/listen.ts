import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TroupeError } from "@troupe/core";

/** Where a server is to be found. */
export type Place = { readonly host: string; readonly port: number };

/** Lets the server listen, and returns its address. */
export async function listen(server: Server, { host, port }: Place): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `The server cannot listen on port ${port} of ${host}. Name others in PORT and HOST. (${reason})`;
    throw new TroupeError("unavailable", sentence, { cause: error });
  }
  const { address, port: taken, family } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
}
