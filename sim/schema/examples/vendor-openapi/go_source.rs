//! Reads struct declarations from Go source files: just enough of the language
//! for the `types.go` files of k8s.io/api and k8s.io/apimachinery, which gofmt
//! keeps to one field per line.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// One field line of a struct.
#[derive(Debug, Clone)]
pub(crate) struct GoField {
    /// JSON name; empty for an embedded struct.
    pub(crate) json: String,
    /// Go type as `reflect` prints it, without a leading star.
    pub(crate) go_type: String,
    /// The declared type is a pointer.
    pub(crate) pointer: bool,
    /// JSON tag options.
    pub(crate) omit_empty: bool,
    /// JSON tag options.
    pub(crate) omit_zero: bool,
    /// Protobuf number; 0 without a protobuf tag.
    pub(crate) number: u32,
}

/// Structs by OpenAPI name.
pub(crate) type GoStructs = BTreeMap<String, Vec<GoField>>;

/// Reads every non-test Go file below `root`; `prefix` is what OpenAPI puts
/// before the folder's path (`io.k8s.api`).
pub(crate) fn read_tree(root: &Path, prefix: &str, into: &mut GoStructs) -> io::Result<()> {
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if is_source(&path) {
                let package = package_name(root, &folder, prefix);
                read_file(&fs::read_to_string(&path)?, &package, into);
            }
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    path.extension().is_some_and(|extension| extension == "go")
        && !name.ends_with("_test.go")
        && !name.starts_with("zz_generated")
        && !name.starts_with("generated")
}

fn package_name(root: &Path, folder: &Path, prefix: &str) -> String {
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let mut name = prefix.to_owned();
    for part in below.components() {
        name.push('.');
        name.push_str(&part.as_os_str().to_string_lossy());
    }
    name
}

fn read_file(text: &str, package: &str, into: &mut GoStructs) {
    let imports = imports(text);
    let local = package.rsplit('.').next().unwrap_or_default();
    let mut current: Option<(String, Vec<GoField>)> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("type ")
            && let Some(name) = rest.strip_suffix(" struct {")
        {
            current = Some((format!("{package}.{name}"), Vec::new()));
        } else if line == "}" {
            if let Some((name, fields)) = current.take() {
                into.insert(name, fields);
            }
        } else if let Some((_, fields)) = &mut current
            && let Some(field) = field(line, local, &imports)
        {
            fields.push(field);
        }
    }
}

/// Import names of a file and the package names they stand for.
fn imports(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in text.lines().take_while(|line| !line.starts_with("type ")) {
        let line = line.trim().trim_start_matches("import ");
        let Some((alias, path)) = line.split_once('"') else {
            continue;
        };
        let package = path
            .trim_end_matches('"')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let alias = alias.trim();
        let name = if alias.is_empty() { package } else { alias };
        found.insert(name.to_owned(), package.to_owned());
    }
    found
}

fn field(line: &str, local: &str, imports: &BTreeMap<String, String>) -> Option<GoField> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let (declaration, tags) = line.split_once('`')?;
    let tags = tags.split('`').next()?;
    let mut json = tag(tags, "json")?.split(',');
    let json_name = json.next().unwrap_or_default();
    let options: Vec<&str> = json.collect();
    let mut words = declaration.split_whitespace();
    let first = words.next()?;
    let declared = words.next().unwrap_or(first);
    let pointer = declared.starts_with('*');
    let number = tag(tags, "protobuf")
        .and_then(|tag| tag.split(',').nth(1)?.parse().ok())
        .unwrap_or(0);
    (json_name != "-").then(|| GoField {
        json: json_name.to_owned(),
        go_type: reflect_name(declared.trim_start_matches('*'), local, imports),
        pointer,
        omit_empty: options.contains(&"omitempty"),
        omit_zero: options.contains(&"omitzero"),
        number,
    })
}

fn tag<'a>(tags: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tags.split_once(&format!("{name}:\""))?;
    rest.split('"').next()
}

/// `[]Container` in package `v1` -> `[]v1.Container`.
fn reflect_name(declared: &str, local: &str, imports: &BTreeMap<String, String>) -> String {
    let again = |part: &str| reflect_name(part, local, imports);
    if let Some(rest) = declared.strip_prefix('*') {
        return format!("*{}", again(rest));
    }
    if let Some(rest) = declared.strip_prefix("[]") {
        return format!("[]{}", again(rest));
    }
    if let Some((key, value)) = declared
        .strip_prefix("map[")
        .and_then(|rest| rest.split_once(']'))
    {
        return format!("map[{}]{}", again(key), again(value));
    }
    if declared == "byte" {
        return "uint8".to_owned();
    }
    if let Some((alias, name)) = declared.split_once('.') {
        let package = imports.get(alias).map_or(alias, String::as_str);
        return format!("{package}.{name}");
    }
    if declared.starts_with(char::is_lowercase) {
        return declared.to_owned();
    }
    format!("{local}.{declared}")
}
