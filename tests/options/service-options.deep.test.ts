import { checkLeftOut } from "./check-left-out.ts";
import { serviceSubjects } from "./service-subjects.ts";

checkLeftOut(serviceSubjects);
