/** The server of 2026-07-28 over standard input and output, which refuses clients that begin with `initialize`. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeServer } from "./modern-server.ts";

serveStdio(makeServer, { legacy: "reject" });
