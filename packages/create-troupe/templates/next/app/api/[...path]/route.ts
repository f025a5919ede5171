import { createHandler } from "@troupe/core/service";
import { chatStream } from "@troupe/use-chat";
import { service } from "../../../src/service.ts";

export const dynamic = "force-dynamic";
export const { GET, POST, PATCH, DELETE } = createHandler(service, [chatStream()], { basePath: "/api" });
