import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import type { HostRunOptions, RouterOptions } from "@troupe/http";
import express from "express";
import type { Request } from "express";

// Both forms of both handlers, with the types that come with the package.
const runOptions = (request: Request): HostRunOptions => ({ metadata: { ip: request.ip } });
const options: RouterOptions = { runOptions, middleware: [requestLogger] };

const app = express();
app.use(requestLogger);
app.use(requestLogger());
app.use("/api", createAgentRouter(options));
app.use(errorHandler);
app.use(errorHandler({}));
app.use([errorHandler]);
