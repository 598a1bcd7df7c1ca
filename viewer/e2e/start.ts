// Starts the suites of pages: their modules come before this one.
import { runSuites } from "./browser";

runSuites();
