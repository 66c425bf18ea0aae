//! Reads the few Python objects that Planetoid's files are made of: numpy arrays, scipy CSR matrices, default
//! dictionaries, lists and integers.
//!
//! A pickle is a program for a stack machine, and a call in it is how a hostile one runs code. Nothing is ever called
//! here: the names that may stand where a callable stands are a fixed list, each has its own meaning, and everything
//! else is an error at the byte where it stands. All objects live in one flat table, so nesting costs no stack.

use std::collections::HashMap;

/// What is wrong, and where.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) offset: u64,
    pub(super) expected: &'static str,
    pub(super) found: String,
}

/// Opcodes, and so values on the stack and objects; PubMed's graph has 160,000.
const MOST_VALUES: usize = 1 << 22;

/// A value; what is not a number is a place in the table of objects.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value<'a> {
    None,
    Bool,
    Int(i64),
    Bytes(&'a [u8]),
    Known(Known),
    Object(usize),
    Mark,
}

/// The names that may stand where a callable stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    CsrMatrix,
    DefaultDict,
    Dtype,
    List,
    NdArray,
    Reconstruct,
}

impl Known {
    fn named(module: &str, name: &str) -> Option<Self> {
        Some(match (module, name) {
            ("scipy.sparse.csr" | "scipy.sparse._csr", "csr_matrix") => Self::CsrMatrix,
            ("collections", "defaultdict") => Self::DefaultDict,
            ("numpy", "dtype") => Self::Dtype,
            ("__builtin__" | "builtins", "list") => Self::List,
            ("numpy", "ndarray") => Self::NdArray,
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => Self::Reconstruct,
            _ => return None,
        })
    }
}

#[derive(Debug)]
enum Object<'a> {
    Tuple(Vec<Value<'a>>),
    List(Vec<Value<'a>>),
    Dict(Vec<(Value<'a>, Value<'a>)>),
    Dtype { code: &'a [u8], little: bool },
    Array(Option<Array<'a>>),
    Csr(Option<usize>),
}

/// A numpy array: little-endian, C order.
#[derive(Debug, Clone)]
pub(super) struct Array<'a> {
    code: &'a [u8],
    pub(super) shape: Vec<usize>,
    data: &'a [u8],
}

/// A scipy CSR matrix, its parts not yet checked against each other.
#[derive(Debug)]
pub(super) struct Csr {
    pub(super) shape: [usize; 2],
    pub(super) indptr: Vec<i64>,
    pub(super) indices: Vec<i64>,
    pub(super) values: Vec<f32>,
}

/// A pickle that has been read to its end.
#[derive(Debug)]
pub(super) struct Pickle<'a> {
    objects: Vec<Object<'a>>,
    root: Value<'a>,
}

impl<'a> Pickle<'a> {
    /// Reads a pickle of protocol 2 or below.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Problem> {
        Machine { bytes, at: 0, stack: Vec::new(), memo: HashMap::new(), objects: Vec::new(), held: 0 }.run()
    }

    /// The whole pickle as an array.
    pub(super) fn array(&self) -> Option<Array<'a>> {
        self.array_at(self.root)
    }

    fn array_at(&self, value: Value<'a>) -> Option<Array<'a>> {
        let Value::Object(at) = value else { return None };
        let Object::Array(Some(array)) = &self.objects[at] else { return None };
        Some(array.clone())
    }

    /// The whole pickle as a CSR matrix.
    pub(super) fn csr(&self) -> Option<Csr> {
        let Value::Object(at) = self.root else { return None };
        let Object::Csr(Some(state)) = self.objects[at] else { return None };
        let Object::Dict(entries) = &self.objects[state] else { return None };
        let field = |names: &[&str]| {
            let named =
                |key: &Value<'_>| matches!(key, Value::Bytes(key) if names.iter().any(|n| n.as_bytes() == *key));
            entries.iter().find(|(key, _)| named(key)).map(|&(_, value)| value)
        };
        let Value::Object(shape) = field(&["_shape", "shape"])? else { return None };
        let Object::Tuple(shape) = &self.objects[shape] else { return None };
        let &[Value::Int(rows), Value::Int(columns)] = &shape[..] else { return None };
        Some(Csr {
            shape: [rows.try_into().ok()?, columns.try_into().ok()?],
            indptr: self.array_at(field(&["indptr"])?)?.integers()?,
            indices: self.array_at(field(&["indices"])?)?.integers()?,
            values: self.array_at(field(&["data"])?)?.floats()?,
        })
    }

    /// The whole pickle as a dictionary of node → list of nodes, in the order of the file.
    pub(super) fn adjacency(&self) -> Option<Vec<(i64, Vec<i64>)>> {
        let Value::Object(at) = self.root else { return None };
        let Object::Dict(entries) = &self.objects[at] else { return None };
        // A list may stand in the file once and be referred to often; what it unfolds to is bounded like the rest.
        let mut left = MOST_VALUES;
        let mut adjacency = Vec::with_capacity(entries.len());
        for &(node, list) in entries {
            let (Value::Int(node), Value::Object(list)) = (node, list) else { return None };
            let Object::List(list) = &self.objects[list] else { return None };
            left = left.checked_sub(list.len())?;
            let integer = |value: &Value<'_>| if let Value::Int(value) = value { Some(*value) } else { None };
            adjacency.push((node, list.iter().map(integer).collect::<Option<_>>()?));
        }
        Some(adjacency)
    }
}

impl Array<'_> {
    /// The elements, where they are integers.
    pub(super) fn integers(&self) -> Option<Vec<i64>> {
        match self.code {
            b"i4" => Some(self.data.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes).into()).collect()),
            b"i8" => Some(self.data.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()),
            _ => None,
        }
    }

    /// The elements, where they are numbers with a fraction.
    fn floats(&self) -> Option<Vec<f32>> {
        match self.code {
            b"f4" => Some(self.data.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()),
            b"f8" => Some(self.data.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes) as f32).collect()),
            _ => None,
        }
    }
}

/// The stack machine.
struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value<'a>>,
    memo: HashMap<u32, Value<'a>>,
    objects: Vec<Object<'a>>,
    held: usize,
}

impl<'a> Machine<'a> {
    fn run(mut self) -> Result<Pickle<'a>, Problem> {
        loop {
            let start = self.at;
            let [opcode] = self.take_array()?;
            self.held += 1;
            if self.held > MOST_VALUES {
                return Err(self.problem("fewer values", format!("more than {MOST_VALUES}")));
            }
            match opcode {
                b'.' => {
                    let root = self.pop()?;
                    if self.at != self.bytes.len() {
                        return Err(self.problem("the end of the file", "more bytes".to_owned()));
                    }
                    return Ok(Pickle { objects: self.objects, root });
                }
                0x80 => {
                    let [protocol] = self.take_array()?;
                    if protocol > 2 {
                        return Err(self.problem("pickle protocol 2 or below", format!("protocol {protocol}")));
                    }
                }
                b'c' => self.name()?,
                b'q' | b'h' => {
                    let [key] = self.take_array::<1>()?;
                    self.memory(opcode == b'q', key.into())?;
                }
                b'r' | b'j' => {
                    let key = u32::from_le_bytes(self.take_array()?);
                    self.memory(opcode == b'r', key)?;
                }
                b'(' => self.stack.push(Value::Mark),
                b'N' => self.stack.push(Value::None),
                0x88 | 0x89 => self.stack.push(Value::Bool),
                b'K' => {
                    let [value] = self.take_array::<1>()?;
                    self.stack.push(Value::Int(value.into()));
                }
                b'M' => {
                    let value = u16::from_le_bytes(self.take_array()?);
                    self.stack.push(Value::Int(value.into()));
                }
                b'J' => {
                    let value = i32::from_le_bytes(self.take_array()?);
                    self.stack.push(Value::Int(value.into()));
                }
                b'U' => {
                    let [length] = self.take_array::<1>()?;
                    self.string(length.into())?;
                }
                b'T' | b'X' => {
                    let length = u32::from_le_bytes(self.take_array()?);
                    self.string(length as usize)?;
                }
                b')' => self.push_object(Object::Tuple(Vec::new())),
                b']' => self.push_object(Object::List(Vec::new())),
                b'}' => self.push_object(Object::Dict(Vec::new())),
                0x85..=0x87 => {
                    let from = self.stack.len().checked_sub(usize::from(opcode - 0x84));
                    let from = from.ok_or_else(|| self.problem("values on the stack", "too few".to_owned()))?;
                    let items = self.stack.split_off(from);
                    self.push_object(Object::Tuple(items));
                }
                b't' => {
                    let items = self.pop_to_mark()?;
                    self.push_object(Object::Tuple(items));
                }
                b'a' | b'e' => {
                    let items = if opcode == b'a' { vec![self.pop()?] } else { self.pop_to_mark()? };
                    let Some(Object::List(list)) = self.top() else {
                        return Err(self.problem("a list to append to", "something else".to_owned()));
                    };
                    list.extend(items);
                }
                b's' | b'u' => {
                    let items = if opcode == b'u' {
                        self.pop_to_mark()?
                    } else {
                        let value = self.pop()?;
                        vec![self.pop()?, value]
                    };
                    let Some(Object::Dict(entries)) = self.top() else {
                        return Err(self.problem("a dictionary to fill", "something else".to_owned()));
                    };
                    let (pairs, odd) = items.as_chunks();
                    entries.extend(pairs.iter().map(|&[key, value]| (key, value)));
                    if !odd.is_empty() {
                        return Err(self.problem("keys with values", "a key alone".to_owned()));
                    }
                }
                b'R' | 0x81 => self.make(opcode == b'R')?,
                b'b' => self.build()?,
                _ => {
                    self.at = start;
                    let shown = format!("opcode {:?} (0x{opcode:02x})", char::from(opcode));
                    return Err(self.problem("one of the opcodes that plain arrays and lists need", shown));
                }
            }
        }
    }

    fn problem(&self, expected: &'static str, found: String) -> Problem {
        Problem { offset: self.at as u64, expected, found }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Problem> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..length) else {
            return Err(self.problem("more bytes", format!("the end of the file, {length} bytes wanted")));
        };
        self.at += length;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn string(&mut self, length: usize) -> Result<(), Problem> {
        let bytes = self.take(length)?;
        self.stack.push(Value::Bytes(bytes));
        Ok(())
    }

    fn push_object(&mut self, object: Object<'a>) {
        self.stack.push(Value::Object(self.objects.len()));
        self.objects.push(object);
    }

    fn pop(&mut self) -> Result<Value<'a>, Problem> {
        match self.stack.pop() {
            Some(Value::Mark) | None => Err(self.problem("a value on the stack", "none".to_owned())),
            Some(value) => Ok(value),
        }
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Value<'a>>, Problem> {
        let Some(mark) = self.stack.iter().rposition(|value| *value == Value::Mark) else {
            return Err(self.problem("a mark on the stack", "none".to_owned()));
        };
        let items = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(items)
    }

    fn top(&mut self) -> Option<&mut Object<'a>> {
        match self.stack.last() {
            Some(&Value::Object(at)) => Some(&mut self.objects[at]),
            _ => None,
        }
    }

    fn memory(&mut self, put: bool, key: u32) -> Result<(), Problem> {
        if put {
            let value = self.pop()?;
            self.stack.push(value);
            self.memo.insert(key, value);
            return Ok(());
        }
        match self.memo.get(&key) {
            Some(&value) => self.stack.push(value),
            None => return Err(self.problem("a value put aside before", format!("none under {key}"))),
        }
        Ok(())
    }

    /// Two lines of text that name something. Naming is harmless, but nothing else than the list is needed.
    fn name(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let mut lines = [""; 2];
        for line in &mut lines {
            let rest = &self.bytes[self.at..];
            let length = rest.iter().take(256).position(|&byte| byte == b'\n');
            let length = length.ok_or_else(|| self.problem("a name", "a line without end".to_owned()))?;
            *line = std::str::from_utf8(self.take(length)?).unwrap_or("(not text)");
            self.at += 1;
        }
        let [module, name] = lines;
        let known = Known::named(module, name).ok_or_else(|| Problem {
            offset: start as u64,
            expected: "numpy arrays, scipy CSR matrices, defaultdict, list",
            found: format!("{module}.{name}, which is never called"),
        })?;
        self.stack.push(Value::Known(known));
        Ok(())
    }

    /// What a call of one of the known names would make.
    fn make(&mut self, reduce: bool) -> Result<(), Problem> {
        let arguments = self.pop()?;
        let callable = self.pop()?;
        let arguments = match arguments {
            Value::Object(at) => match &self.objects[at] {
                Object::Tuple(items) => items.as_slice(),
                _ => &[],
            },
            _ => &[],
        };
        let object = match (callable, reduce, arguments) {
            (Value::Known(Known::CsrMatrix), false, []) => Object::Csr(None),
            (Value::Known(Known::DefaultDict), true, [] | [Value::Known(Known::List)]) => Object::Dict(Vec::new()),
            (Value::Known(Known::Dtype), true, &[Value::Bytes(code), ..]) => Object::Dtype { code, little: false },
            (Value::Known(Known::Reconstruct), true, [Value::Known(Known::NdArray), ..]) => Object::Array(None),
            _ => {
                let found = format!("{callable:?} with {} arguments", arguments.len());
                return Err(self.problem("a call that makes an array, a CSR matrix or a dictionary", found));
            }
        };
        self.push_object(object);
        Ok(())
    }

    /// Gives an object its state.
    fn build(&mut self) -> Result<(), Problem> {
        let state = self.pop()?;
        let wrong = self.problem("the state of a dtype, an array or a CSR matrix", format!("{state:?}"));
        let (Some(&Value::Object(target)), Value::Object(state)) = (self.stack.last(), state) else {
            return Err(wrong);
        };
        let built = match (&self.objects[target], &self.objects[state]) {
            (&Object::Dtype { code, .. }, Object::Tuple(items)) => match items[..] {
                [_, Value::Bytes(order), ..] => Object::Dtype { code, little: order == b"<" },
                _ => return Err(wrong),
            },
            (Object::Array(_), Object::Tuple(items)) => match items[..] {
                [_, Value::Object(shape), Value::Object(dtype), _, Value::Bytes(data)] => {
                    Object::Array(Some(self.array(shape, dtype, data)?))
                }
                _ => return Err(wrong),
            },
            (Object::Csr(_), Object::Dict(_)) => Object::Csr(Some(state)),
            _ => return Err(wrong),
        };
        self.objects[target] = built;
        Ok(())
    }

    fn array(&self, shape: usize, dtype: usize, data: &'a [u8]) -> Result<Array<'a>, Problem> {
        let &Object::Dtype { code, little: true } = &self.objects[dtype] else {
            return Err(self.problem("a little-endian number type", "another".to_owned()));
        };
        let size = match code {
            b"i4" | b"f4" => 4,
            b"i8" | b"f8" => 8,
            other => {
                return Err(self.problem("i4, i8, f4 or f8", format!("dtype {:?}", String::from_utf8_lossy(other))));
            }
        };
        let axes = match &self.objects[shape] {
            Object::Tuple(axes) => axes.as_slice(),
            _ => &[],
        };
        let shape: Option<Vec<usize>> = axes
            .iter()
            .map(|axis| if let Value::Int(axis) = axis { usize::try_from(*axis).ok() } else { None })
            .collect();
        let bytes = |shape: &[usize]| shape.iter().try_fold(size, |product: usize, &axis| product.checked_mul(axis));
        match shape.filter(|shape| !shape.is_empty() && bytes(shape) == Some(data.len())) {
            Some(shape) => Ok(Array { code, shape, data }),
            None => Err(self.problem("a shape that fits the data", format!("{axes:?} for {} bytes", data.len()))),
        }
    }
}
