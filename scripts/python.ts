/**
 * `npm run test:edge -- [pytest arguments]`: checks and tests of the Python package alone, also on the oldest Python.
 * `npm run test:edge -- --many-machines`: its decisions by Spark, Polars, DuckDB, Ray and Dask alone.
 */
import { prepareEdge, runEdgeTests, testManyMachines, testOldestPython } from './testing/edge-tests.ts';
import { conclude } from './testing/steps.ts';

const pytestArgs = process.argv.slice(2);
await conclude(
  pytestArgs.includes('--many-machines')
    ? await testManyMachines()
    : [...(await runEdgeTests(prepareEdge(), pytestArgs)), ...(await testOldestPython(pytestArgs))],
);
