// Prints the milliseconds of processor time that importing the argument takes, once the loader is warm.
await import("./empty.js?first");
const before = process.cpuUsage();
await import(process.argv[2] ?? "");
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
