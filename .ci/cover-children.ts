// Loaded before each test file when CI measures: node processes that the tests start count the lines they run.
const folder = process.env['COUNT_CHILDREN_IN']
if (folder) process.env['NODE_V8_COVERAGE'] = folder
