// Appends 300 operations to a log, concurrently with other processes.
import { OperationLog } from "../operation-log.ts";

const [path = "", name = ""] = process.argv.slice(2);
const log = new OperationLog(path);
for (let number = 0; number < 300; number++) {
  log.append({ type: "info", id: `${name}-${number}`, sessionId: name, text: "x".repeat(number * 10) });
}
process.disconnect();
