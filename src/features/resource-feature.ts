// A declared resource as a feature: its routes, its audit, its history, its sample data.
import { counted } from '../base/message-words.ts';
import {
  assertUniqueDeclared,
  resource,
  type Resource,
  type ResourceMembers,
} from '../resource/declared-resource.ts';
import { importable, importKeysMigration } from '../resource/imported-object-store.ts';
import type { Feature } from './feature.ts';

type ResourceFeature<M extends ResourceMembers> = Pick<Feature, 'name' | 'tag' | 'migrations'> & {
  /** Imports the resource when it is used. */
  readonly importResource: () => Promise<Resource<M>>;
};

type DeclaredFeature = {
  /** The description of its section in the document. */
  readonly description: string;
  /** The statements that make its table, and then each change of it: once released, none is ever edited. */
  readonly migrations: readonly string[];
};

/** A feature of one file. */
export function declaredFeature<M extends ResourceMembers>(
  declaration: Parameters<typeof resource<M>>[0] & DeclaredFeature,
): Feature {
  const declared = resource<M>(declaration);
  const { name, plural, tag, isOwned, personal, imports } = declared;
  const { description, migrations } = declaration;
  return {
    ...resourceFeature({
      name: plural,
      tag: { name: tag, description },
      // the table of keys comes first, also without imports: otherwise adding imports would move the other migrations
      migrations: [importKeysMigration(name, plural), ...migrations].map((sql, index) => ({
        name: `${plural} ${index}`,
        sql,
      })),
      importResource: async () => declared,
    }),
    declares: {
      eventTypes: [`${name}.created`, `${name}.changed`, `${name}.deleted`],
      scopes: [`${plural}:read`, `${plural}:write`],
      ownedTables: isOwned ? [plural] : [],
      customerTables: personal === undefined ? [] : [{ table: plural, personal }],
      imported: imports === undefined ? [] : [importable(declared)],
    },
  };
}

/** A feature whose declaration is a file of its own, which isn't loaded if the feature is left out. */
export function resourceFeature<M extends ResourceMembers>({
  importResource,
  ...feature
}: ResourceFeature<M>): Feature {
  return {
    ...feature,
    async load() {
      const { resourceRoutes } = await import('../resource/resource-routes.ts');
      const declared = await importResource();
      return ({ lists, database, log, has }) => ({
        groups: [
          { invalidStatus: 422, routes: resourceRoutes(declared, { lists, hasHistory: has('history') }) },
        ],
        start() {
          assertUniqueDeclared(database.read, declared);
          declared.notes?.(database.read).forEach((each) => log.write('warn', each));
        },
      });
    },
    async maintenance() {
      const { name, plural, topic, samples, notes, membersInEvents, add, hasRows, audit, checks } =
        await importResource();
      return {
        audits: [audit],
        checks,
        histories: [{ topic, table: plural, members: membersInEvents, deletion: `${name}.deleted` }],
        notes,
        sample: samples && {
          hasRows,
          add(permit, { products, now }) {
            const rows = samples(products);
            for (const row of rows) add(permit, row, now);
            return counted(rows.length, name);
          },
        },
      };
    },
  };
}
