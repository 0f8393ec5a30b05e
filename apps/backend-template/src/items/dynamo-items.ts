import {
  CreateTableCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  waitUntilTableExists,
  type AttributeValue,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { MAX_LIST_LENGTH, type Item, type ItemStore } from "./item-store.ts";

type Attributes = Record<string, AttributeValue>;

const OLDEST_FIRST = "oldest-first";
const MAX_WAIT_SECONDS = 60;
/** All items have the same partition, because a query returns only one partition in order. */
const PARTITION = { list: { S: "items" } } satisfies Attributes;

/** @throws the client's error if the table can neither be found nor created */
export async function dynamoItems(client: DynamoDBClient, table: string): Promise<ItemStore> {
  try {
    await createTable(client, table);
  } catch (error) {
    client.destroy();
    throw error;
  }
  const TableName = table;
  return {
    async list() {
      const query = new QueryCommand({
        TableName,
        IndexName: OLDEST_FIRST,
        KeyConditionExpression: "#list = :list",
        ExpressionAttributeNames: { "#list": "list" },
        ExpressionAttributeValues: { ":list": PARTITION.list },
        Limit: MAX_LIST_LENGTH,
      });
      return ((await client.send(query)).Items ?? []).map(itemOf);
    },
    async get(id) {
      const { Item: found } = await client.send(new GetItemCommand({ TableName, Key: key(id), ConsistentRead: true }));
      return found === undefined ? undefined : itemOf(found);
    },
    async put({ id, name }) {
      const stored = { ...key(id), name: { S: name }, created_at: { N: String(Date.now()) } };
      const put = new PutItemCommand({ TableName, Item: stored, ConditionExpression: "attribute_not_exists(id)" });
      await client.send(put).catch(ignoreExisting);
    },
    async remove(id) {
      const removal = new DeleteItemCommand({ TableName, Key: key(id), ReturnValues: "ALL_OLD" });
      return (await client.send(removal)).Attributes !== undefined;
    },
    close: () => Promise.resolve(client.destroy()),
  };
}

function key(id: string): Attributes {
  return { ...PARTITION, id: { S: id } };
}

async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  const input: CreateTableCommandInput = {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "list", AttributeType: "S" },
      { AttributeName: "id", AttributeType: "S" },
      { AttributeName: "created_at", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "list", KeyType: "HASH" },
      { AttributeName: "id", KeyType: "RANGE" },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: OLDEST_FIRST,
        KeySchema: [
          { AttributeName: "list", KeyType: "HASH" },
          { AttributeName: "created_at", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  };
  // Another process of the backend may create the table at the same time.
  await client.send(new CreateTableCommand(input)).catch((error: unknown) => {
    if (!isNamed(error, "ResourceInUseException")) throw error;
  });
  await waitUntilTableExists({ client, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 1 }, { TableName });
}

function itemOf({ id, name }: Attributes): Item {
  return { id: id?.S ?? "", name: name?.S ?? "" };
}

function ignoreExisting(error: unknown): void {
  if (!isNamed(error, "ConditionalCheckFailedException")) throw error;
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
