/** Entry of a process that reads and checks large requests, until its parent is gone. */
import { serveOrders } from '../process/orders.ts';
import { openTasks } from './tasks.ts';

/** Lower priority than the server, so that on few cores small calls do not wait behind large ones. */
const niceness = 5;

serveOrders(openTasks(), niceness);
