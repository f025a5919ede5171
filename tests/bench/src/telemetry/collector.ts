import { createServer } from "node:http";
import { listen } from "../servers/listen.ts";

/** A collector that reads what it is sent, and answers at once. */
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
});

listen(server);
